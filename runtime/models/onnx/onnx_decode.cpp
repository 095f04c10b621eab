#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include <concepts>
#include <type_traits>

#include "onnx/onnx_codec.hpp"

namespace tilewright::onnx {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

template <class T>
concept Number = std::is_arithmetic_v<T>;

// An empty message or text needs two bytes in a file, but up to some hundred bytes of memory.
constexpr std::size_t kMaxParts = 1'000'000;
// An integer needs one byte in a file, but up to 8 bytes of memory.
constexpr std::size_t kMaxIntegers = std::size_t{1} << 27;

// Moves to the next field. protozero compares lengths as signed integers: on a system with 32 bits
// it would accept a length of 2 GiB or more.
bool move_to_next(pbf_reader& message) {
  if (!message.next()) return false;
  if (message.wire_type() == pbf_wire_type::length_delimited) {
    const char* at = message.data().data();
    const char* const end = at + message.data().size();
    const std::uint64_t length = protozero::decode_varint(&at, end);
    if (length > static_cast<std::uint64_t>(end - at)) throw protozero::end_of_buffer_exception();
  }
  return true;
}

// The nesting of messages is limited by the structures, because none of them contains itself.
class Decoding {
 public:
  explicit Decoding(const ModelPlace& file) : file_(file) {}

  template <class Message>
  void read_message(pbf_reader bytes, Message& message) {
    count_part();
    while (move_to_next(bytes)) {
      const protozero::pbf_tag_type number = bytes.tag();
      bool is_known = false;
      Message::fields(message, [&](protozero::pbf_tag_type listed, auto& member) {
        if (listed != number) return;
        is_known = true;
        read(bytes, member);
      });
      if (!is_known) bytes.skip();
    }
  }

 private:
  void count_part() {
    if (++num_parts_ <= kMaxParts) return;
    file_.fail(fmt::format("has more than {} nodes, tensors, names and other parts", kMaxParts));
  }
  void count_integers(std::size_t number) {
    num_integers_ += number;
    if (num_integers_ <= kMaxIntegers) return;
    file_.fail(fmt::format("has more than {} integers", kMaxIntegers));
  }

  void expect(const pbf_reader& field, pbf_wire_type type) const {
    if (field.wire_type() == type) return;
    file_.fail(fmt::format(
        "is not an ONNX file, or is damaged: its field {} has the wire type {} instead of {}",
        field.tag(), static_cast<int>(field.wire_type()), static_cast<int>(type)));
  }

  void read(pbf_reader& field, std::string_view& bytes) {
    expect(field, pbf_wire_type::length_delimited);
    const protozero::data_view view = field.get_view();
    bytes = {view.data(), view.size()};
  }
  void read(pbf_reader& field, std::string& text) {
    std::string_view bytes;
    read(field, bytes);
    text = bytes;
  }
  template <Number T>
  void read(pbf_reader& field, T& number) {
    if constexpr (std::same_as<T, float>) {
      expect(field, pbf_wire_type::fixed32);
      number = field.get_float();
    } else if constexpr (std::same_as<T, double>) {
      expect(field, pbf_wire_type::fixed64);
      number = field.get_double();
    } else {
      expect(field, pbf_wire_type::varint);
      number = static_cast<T>(field.get_int64());
    }
  }
  // Numbers may be packed into one field or be a field each.
  template <Number T>
  void read(pbf_reader& field, std::vector<T>& numbers) {
    if (field.wire_type() != pbf_wire_type::length_delimited) {
      if constexpr (std::integral<T>) count_integers(1);
      read(field, numbers.emplace_back());
    } else if constexpr (std::same_as<T, float>) {
      append(field.get_packed_float(), numbers);
    } else if constexpr (std::same_as<T, double>) {
      append(field.get_packed_double(), numbers);
    } else {
      const auto range = field.get_packed_int64();
      count_integers(range.size());
      append(range, numbers);
    }
  }
  template <class Range, class T>
  static void append(const Range& range, std::vector<T>& numbers) {
    if (numbers.empty()) numbers.reserve(range.size());
    for (const auto number : range) numbers.push_back(static_cast<T>(number));
  }
  template <class T>
  void read(pbf_reader& field, std::vector<T>& members) {
    if constexpr (std::same_as<T, std::string>) count_part();
    read(field, members.emplace_back());
  }
  template <class T>
  void read(pbf_reader& field, std::optional<T>& member) {
    if (!member) member.emplace();
    read(field, *member);
  }
  template <class T>
  void read(pbf_reader& field, std::shared_ptr<const T>& member) {
    auto value = std::make_shared<T>();
    read(field, *value);
    member = std::move(value);
  }
  template <class Message>
  void read(pbf_reader& field, Message& message) {
    std::string_view bytes;
    read(field, bytes);
    read_message(pbf_reader(bytes.data(), bytes.size()), message);
  }

  const ModelPlace& file_;
  std::size_t num_parts_ = 0;
  std::size_t num_integers_ = 0;
};

template <class Message>
Message decoded(std::string_view bytes, const ModelPlace& place) {
  Message message;
  try {
    Decoding(place).read_message(pbf_reader(bytes.data(), bytes.size()), message);
  } catch (const protozero::exception&) {
    place.fail("is not an ONNX file, or is truncated");
  }
  return message;
}

}  // namespace

Model decode(std::string_view bytes, const ModelPlace& file) {
  return decoded<Model>(bytes, file);
}

Graph decode_graph(std::string_view bytes, const ModelPlace& place) {
  return decoded<Graph>(bytes, place);
}

}  // namespace tilewright::onnx
