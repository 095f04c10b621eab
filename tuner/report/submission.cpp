#include "tuner/report/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "profiles/digest.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/report/report_document.hpp"

namespace tilewright {
namespace {

// "2/8", as --shard has it, is no path.
bool is_path(const std::string& word) {
  const std::size_t slash = word.find('/');
  if (slash == word.npos) return false;
  return slash == 0 || word.find('/', slash + 1) != word.npos ||
         word.find_first_not_of("0123456789/") != word.npos;
}

// Where the first word that is a path begins; npos: there is none.
std::size_t path_begin(const std::string& part, std::size_t from) {
  while (from < part.size()) {
    const std::size_t end = std::min(part.find(' ', from), part.size());
    if (is_path(part.substr(from, end - from))) return from;
    from = end + 1;
  }
  return part.npos;
}

bool takes_file(const std::string& option) {
  constexpr std::array kOptions{"--output", "--profile", "--journal", "--warm-start",
                                "--shapes", "--limits",  "--kernels", "--sysfs"};
  return std::find(kOptions.begin(), kOptions.end(), option) != kOptions.end();
}

// Of a command line from one option to the next. A folder may have spaces, and nothing is quoted:
// all from the path's begin to the last slash goes, even where it was more than one path.
std::string without_folder(const std::string& part) {
  const bool is_option = part.rfind("--", 0) == 0;
  const std::size_t name_end = is_option ? std::min(part.find_first_of("= "), part.size()) : 0;
  const std::size_t value = is_option && name_end < part.size() ? name_end + 1 : 0;
  std::size_t begin = path_begin(part, value);
  if (begin == part.npos) return part;
  if (takes_file(part.substr(0, name_end))) begin = value;
  return part.substr(0, begin) + part.substr(part.rfind('/') + 1);
}

// Small letters and digits, all else as single dashes.
std::string slug(const std::string& text) {
  std::string result;
  for (const unsigned char c : text) {
    if (std::isalnum(c) != 0) {
      result += static_cast<char>(std::tolower(c));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "unknown" : result.substr(0, 24);
}

std::string name_of(const Profile& profile) {
  const DeviceIdentity& device = profile.device;
  const std::string driver = device.driver.substr(0, device.driver.find_first_of(", "));
  return fmt::format("{}-{}cu-{}-{}", slug(device.name), device.compute_units, slug(driver),
                     digest_of(profile).substr(5, 8));
}

// A report's document without the kernels' sources, which the profile has. Private words go before
// the text is made: there they would be spelled with escapes.
std::string summary_of(const ReportProfile& tuned, const PrivateWords& words) {
  nlohmann::ordered_json document = report_document({{tuned}, {}});
  nlohmann::ordered_json& sections = document["sections"];
  for (std::size_t i = sections.size(); i-- > 0;) {
    if (sections[i].at("id") == "sources") sections.erase(i);
  }
  make_private(document, words);
  return pretty(document) + "\n";
}

std::string doctor_of(Findings findings, const PrivateWords& words) {
  for (Finding& finding : findings) {
    finding.seen = without_private(finding.seen, words);
    finding.advice = without_private(finding.advice, words);
  }
  return to_json_text(findings) + "\n";
}

// A field of a header: a number in octal digits, ended by NUL.
void put_number(std::string& header, std::size_t offset, std::size_t size, std::size_t value) {
  header.replace(offset, size - 1, fmt::format("{:0{}o}", value, size - 1));
}

std::string tar_header(const std::string& name, std::size_t size) {
  if (name.size() > 99) throw std::length_error("the archive's name is too long: " + name);
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  put_number(header, 100, 8, 0644);
  put_number(header, 108, 8, 0);  // of nobody, at no time
  put_number(header, 116, 8, 0);
  put_number(header, 124, 12, size);
  put_number(header, 136, 12, 0);
  header[156] = '0';  // a regular file
  header.replace(257, 8, std::string("ustar\00000", 8));
  header.replace(148, 8, "        ");  // the sum counts its own field as spaces
  std::size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return header;
}

}  // namespace

std::string without_folders(const std::string& command_line) {
  std::string result;
  std::size_t begin = 0;
  while (begin <= command_line.size()) {
    const std::size_t end = std::min(command_line.find(" --", begin), command_line.size());
    result += (begin > 0 ? " " : "") + without_folder(command_line.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

Submission submission_of(const ReportProfile& tuned, const Findings& doctor,
                         const PrivateWords& words) {
  ReportProfile sent = tuned;
  std::string& command_line = sent.profile.provenance.command_line;
  command_line = without_folders(without_private(command_line, words));
  Submission submission;
  submission.name = name_of(sent.profile);
  sent.name = "profile.toml";
  submission.files = {
      {"profile.toml", "the profile, its command line without folders",
       write_profile(sent.profile)},
      {"summary.json",
       sent.journal ? "what the journal says: progress, time, failures, conditions"
                    : "what the profile says, for " + sent.no_journal,
       summary_of(sent, words)},
      {"doctor.json", "what tilewright doctor says of this machine", doctor_of(doctor, words)}};
  return submission;
}

std::string tar_of(const Submission& submission) {
  std::string archive;
  for (const SentFile& file : submission.files) {
    archive += tar_header(submission.name + "/" + file.name, file.content.size()) + file.content;
    archive.resize((archive.size() + 511) / 512 * 512, '\0');
  }
  return archive + std::string(1024, '\0');
}

}  // namespace tilewright
