#include <protozero/pbf_writer.hpp>

#include <concepts>
#include <type_traits>

#include "onnx/onnx_codec.hpp"

namespace tilewright::onnx {
namespace {

using protozero::pbf_tag_type;
using protozero::pbf_writer;

// write_field() writes a member unless it has its default; write() always does.
class Encoding {
 public:
  template <class Message>
  void write_message(pbf_writer& out, const Message& message) {
    Message::fields(message, [&](pbf_tag_type number, const auto& member) {
      write_field(out, number, member);
    });
  }

  // The writer of the outermost message appends to these bytes.
  std::string bytes;

 private:
  static void write(pbf_writer& out, pbf_tag_type number, std::string_view text) {
    out.add_bytes(number, text.data(), text.size());
  }
  static void write(pbf_writer& out, pbf_tag_type number, const std::string& text) {
    out.add_string(number, text);
  }
  static void write(pbf_writer& out, pbf_tag_type number, float value) {
    out.add_float(number, value);
  }
  static void write(pbf_writer& out, pbf_tag_type number, std::integral auto value) {
    out.add_int64(number, static_cast<std::int64_t>(value));
  }
  template <class Message>
  requires std::is_class_v<Message>
  void write(pbf_writer& out, pbf_tag_type number, const Message& message) {
    const std::size_t before = bytes.size();
    {
      pbf_writer inner(out, number);
      write_message(inner, message);
    }
    // protozero removes the field of an inner message without fields.
    if (bytes.size() == before) write(out, number, std::string_view());
  }

  static void write_field(pbf_writer& out, pbf_tag_type number, const std::string& text) {
    if (!text.empty()) write(out, number, text);
  }
  static void write_field(pbf_writer& out, pbf_tag_type number, std::integral auto value) {
    if (value != 0) write(out, number, value);
  }
  template <class T>
  void write_field(pbf_writer& out, pbf_tag_type number, const std::vector<T>& values) {
    if constexpr (std::same_as<T, float>) {
      out.add_packed_float(number, values.begin(), values.end());
    } else if constexpr (std::same_as<T, double>) {
      out.add_packed_double(number, values.begin(), values.end());
    } else if constexpr (std::integral<T>) {
      out.add_packed_int64(number, values.begin(), values.end());
    } else {
      for (const T& value : values) write(out, number, value);
    }
  }
  template <class T>
  void write_field(pbf_writer& out, pbf_tag_type number, const std::optional<T>& value) {
    if (value) write(out, number, *value);
  }
  template <class T>
  void write_field(pbf_writer& out, pbf_tag_type number, const std::shared_ptr<const T>& value) {
    if (value != nullptr) write(out, number, *value);
  }
  template <class Message>
  requires std::is_class_v<Message>
  void write_field(pbf_writer& out, pbf_tag_type number, const Message& message) {
    write(out, number, message);
  }
};

}  // namespace

std::string encode(const Model& model) {
  Encoding encoding;
  pbf_writer out(encoding.bytes);
  encoding.write_message(out, model);
  return std::move(encoding.bytes);
}

}  // namespace tilewright::onnx
