// Networks with several queues and threads: for what forward passes wait, and for what not.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "deadline.hpp"
#include "network_case.hpp"
#include "three_layers.hpp"

namespace tilewright {
namespace {

TEST_CASE("a forward pass waits, and completes after network and library were destroyed") {
  const TestDevice d;
  const NetworkModel model = three_layers();
  auto net = std::make_unique<Network>(fused_panels(d), model);
  const NetworkCase test(*net, 7, 1, 2, 1);
  const Matrix input = upload(d, test.input);
  const Matrix output = upload(d, test.output);
  cl::UserEvent gate(d.context);
  const cl::Event done = net->forward(d.queue, input, output, 7, {gate});
  net.reset();
  CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  CHECK(test.wrong(model, download(d, output, {done})) == "");
}

TEST_CASE("two queues at once, in the library's memory", "[threads]") {
  const TestDevice d;
  const NetworkModel model = three_layers();
  const Network net(fused_panels(d), model);
  const cl::CommandQueue second(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  // The first forward pass waits while the second queue computes batches of the same and of
  // another size.
  cl::UserEvent gate(d.context);
  const NetworkCase held(net, 7, 0, 0, 1);
  const Matrix held_output = upload(d, held.output);
  net.prepare(second, 7);
  const cl::Event later = net.forward(d.queue, upload(d, held.input), held_output, 7, {gate});
  for (const std::size_t batch : {7u, 3u}) {
    const NetworkCase test(net, batch, 0, 0, 2);
    const Matrix output = upload(d, test.output);
    const cl::Event done = net.forward(second, upload(d, test.input), output, batch);
    done.wait();
    std::vector<float> got(test.output.data.size());
    second.enqueueReadBuffer(output.buffer, CL_TRUE, 0, got.size() * sizeof(float), got.data());
    CHECK(test.wrong(model, got) == "");
  }
  gate.setStatus(CL_COMPLETE);
  CHECK(held.wrong(model, download(d, held_output, {later})) == "");
}

// Polls the event with a deadline: a forward pass that never finishes fails the test and does not
// block it.
bool completes_in_time(const cl::Event& event) {
  const auto limit =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(60.0 * patience());
  while (std::chrono::steady_clock::now() < limit) {
    const cl_int status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
    if (status <= CL_COMPLETE) return status == CL_COMPLETE;
    std::this_thread::yield();
  }
  return false;
}

TEST_CASE("two queues at once: packing for a blocked queue does not block the other", "[threads]") {
  const TestDevice d;
  const NetworkModel model = three_layers();
  const Network net(fused_panels(d), model);
  const cl::CommandQueue second(d.context, d.device);
  cl::UserEvent gate(d.context);
  const std::vector<cl::Event> closed{gate};
  // The copy waits for `gate`, so all later commands of the queue wait, too. (OpenCL 1.1 has no
  // barrier with a wait list.)
  const cl::Buffer from(d.context, CL_MEM_READ_WRITE, sizeof(float));
  const cl::Buffer to(d.context, CL_MEM_READ_WRITE, sizeof(float));
  REQUIRE(second.enqueueCopyBuffer(from, to, 0, 0, sizeof(float), &closed) == CL_SUCCESS);
  // The first forward pass of batch size 7 packs the weights on this queue and is blocked. Batch
  // size 9 is prepared there, too.
  const NetworkCase held(net, 7, 0, 0, 3);
  const Matrix held_output = upload(d, held.output);
  const cl::Event held_done = net.forward(second, upload(d, held.input), held_output, 7);
  net.prepare(second, 9);
  for (const std::size_t batch : {7u, 9u, 3u}) {
    INFO("batch of " << batch);
    const NetworkCase test(net, batch, 0, 0, 1);
    const Matrix output = upload(d, test.output);
    const cl::Event done = net.forward(d.queue, upload(d, test.input), output, batch);
    d.queue.flush();
    const bool complete = completes_in_time(done);
    CHECK(complete);
    if (!complete) gate.setStatus(CL_COMPLETE);
    CHECK(test.wrong(model, download(d, output, {done})) == "");
  }
  CHECK(held_done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  second.finish();
  CHECK(held.wrong(model, download(d, held_output, {held_done})) == "");
}

TEST_CASE("many threads use one network, each with its own queue and batch sizes", "[threads]") {
  const TestDevice d;
  const NetworkModel model = three_layers();
  const Network net(fused_panels(d), model);
  std::vector<std::string> wrong(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const cl::CommandQueue queue(d.context, d.device);
      for (unsigned i = 0; i < 8; ++i) {
        const NetworkCase test(net, 1 + (t + i) % 5, 0, 0, t * 10 + i);
        const Matrix output = upload(d, test.output);
        const std::vector<cl::Event> done{
            net.forward(queue, upload(d, test.input), output, test.batch)};
        std::vector<float> got(test.output.data.size());
        queue.enqueueReadBuffer(output.buffer, CL_TRUE, 0, got.size() * sizeof(float), got.data(),
                                &done);
        wrong[t] += test.wrong(model, got);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<std::string>(4));
}

}  // namespace
}  // namespace tilewright
