// What goes into an archive that somebody sends in, what does not, and which profiles are listed.
#include <algorithm>
#include <fstream>

#include "catch.hpp"
#include "made_up_final.hpp"
#include "profiles/profile_text.hpp"
#include "temporary_folder.hpp"
#include "tuner/report/profile_list.hpp"
#include "tuner/report/submission.hpp"

namespace tilewright {
namespace {

const PrivateWords kWords{"/home/ann", "ann", "annspc"};
const PrivateWords kJuergen{"/home/j\xc3\xbcrgen", "j\xc3\xbcrgen", ""};

ReportProfile tuned_with(const std::string& command_line) {
  const JournalContents contents = final_of({{kTile, 800, 5000}, {kScalar, 900, 9000}});
  return {"a.toml", profile_of(contents, 0, command_line), contents};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("paths of the home folder lose it, names of other folders stay") {
  const auto text = [](const std::string& from) { return without_private(from, kWords); };
  CHECK(text("/home/ann/x") == "~/x");
  CHECK(text("/home/ann") == "~");
  CHECK(text("--output=/home/ann/x auto,/home/ann/s exec:/home/ann/r '/home/ann'") ==
        "--output=~/x auto,~/s exec:~/r '~'");
  CHECK(text("It is in /home/ann. Really") == "It is in ~. Really");
  for (const char* other : {"/home/anna", "/home/ann-old/x", "/home/ann.old", "/srv/home/anna/x",
                            "/home/ann\xc3\xa9", "/home/ann\\xc3\\xa9", "nothing is known"}) {
    CHECK(text(other) == other);
  }
  CHECK(without_private("/home/ann/x", {}) == "/home/ann/x");
}

TEST_CASE("names are replaced in paths and addresses, and in no other words") {
  const auto text = [](const std::string& from) { return without_private(from, kWords); };
  CHECK(text("/media/ann/disk, /srv/home/ann, built by ann@annspc") ==
        "/media/USER/disk, /srv/home/USER, built by USER@HOST");
  // The driver is called like the user, the device like the machine.
  for (const char* other : {"OpenCL 3.0 ann 22.3", "ann", "annspc", "ann-ann", "driver/annex"}) {
    CHECK(text(other) == other);
  }
  CHECK(without_private("OpenCL 3.0 Mesa mesa 22.3", {"/home/mesa", "mesa", "pocl"}) ==
        "OpenCL 3.0 Mesa mesa 22.3");
}

TEST_CASE("paths are found beside escapes and in printable spelling") {
  CHECK(without_private("a\\n/home/ann/b\\x0a/home/ann\\x0a", kWords) == "a\\n~/b\\x0a~\\x0a");
  CHECK(without_private("at /home/j\\xc3\\xbcrgen/x, /mnt/j\\xc3\\xbcrgen", kJuergen) ==
        "at ~/x, /mnt/USER");
}

// The list of users: root, and Ann with number 1000.
std::optional<UserAccount> account_of(uid_t uid) {
  if (uid == 0) return UserAccount{"root", "/root"};
  if (uid == 1000) return UserAccount{"ann", "/home/ann"};
  return std::nullopt;
}

TEST_CASE("under sudo, home and name are those of the caller") {
  for (const char* home : {"/root", "/home/ann", "/srv/jobs", "", "/", "x"}) {
    INFO(home);
    const PrivateWords words = words_of_user({0, home, "1000"}, account_of);
    CHECK(words.home == "/home/ann");
    CHECK(words.user == "ann");
    CHECK(without_private("--output /home/ann/x.toml", words) == "--output ~/x.toml");
  }
  // Only root is believed: anybody can set the variable.
  CHECK(words_of_user({1000, "/srv/ann", "0"}, account_of).home == "/srv/ann");
  CHECK(words_of_user({1000, "/srv/ann", "0"}, account_of).user == "ann");
}

TEST_CASE("without a caller, the name and the home of root are not private") {
  for (const char* sudo_uid : {"", "0", "1001", "1000x", " 1000", "-1", "99999999999999999999"}) {
    INFO(sudo_uid);
    const PrivateWords words = words_of_user({0, "/root/", sudo_uid}, account_of);
    CHECK(words.home.empty());
    CHECK(words.user.empty());
    CHECK(words_of_user({0, "/home/dev/", sudo_uid}, account_of).home == "/home/dev");
  }
}

TEST_CASE("HOME counts only if it is an absolute path") {
  CHECK(words_of_user({1000, "/srv/ann//", ""}, account_of).home == "/srv/ann");
  for (const char* home : {"", "ann", "e", ".", "/", "//", "/root"}) {
    INFO(home);
    CHECK(words_of_user({1000, home, ""}, account_of).home == "/home/ann");
    CHECK(words_of_user({1002, home, ""}, account_of).home.empty());
  }
}

TEST_CASE("command lines keep names of files and lose their folders") {
  CHECK(without_folders("tilewright tune --output /home/ann/x.toml --only=tile_m=4 -j") ==
        "tilewright tune --output x.toml --only=tile_m=4 -j");
  CHECK(without_folders("./build/tilewright tune --journal=/a/b.jsonl") ==
        "tilewright tune --journal=b.jsonl");
  CHECK(without_folders("") == "");
}

TEST_CASE("folders with spaces leave nothing in a command line") {
  CHECK(without_folders("tilewright tune --output /mnt/My Disk/x y.toml --only tile_m=4") ==
        "tilewright tune --output x y.toml --only tile_m=4");
  CHECK(without_folders("tilewright tune --journal=My Disk/of Ann/x.jsonl --ops NN") ==
        "tilewright tune --journal=x.jsonl --ops NN");
  CHECK(without_folders("tilewright mlp tune /mnt/My Disk/net.json --budget 1h") ==
        "tilewright mlp tune net.json --budget 1h");
  CHECK(without_folders("tilewright mlp tune --budget 1h nets/net.json") ==
        "tilewright mlp tune --budget 1h net.json");
  CHECK(without_folders("tilewright tune --shard 2/8 --seed 1") ==
        "tilewright tune --shard 2/8 --seed 1");
  CHECK(without_folders("tilewright merge a.jsonl --output /a b/c; the journals are of: tilewright "
                        "tune --output /d e/f") ==
        "tilewright merge a.jsonl --output c; the journals are of: tilewright tune --output f");
}

TEST_CASE("an archive has profile, summary and doctor's words, and nothing private") {
  const Findings doctor{{"node", FindingState::kNote, "nobody may use /home/ann/x", ""}};
  const Submission submission = submission_of(
      tuned_with("/home/ann/tilewright tune --output /mnt/ann/a.toml"), doctor, kWords);
  CHECK(submission.name.rfind("board-4cu-driver-", 0) == 0);
  REQUIRE(submission.files.size() == 3);
  const Profile profile = parse_profile(submission.files[0].content, "profile.toml");
  CHECK(profile.provenance.command_line == "tilewright tune --output a.toml");
  CHECK(contains(submission.files[1].content, "\"failures\""));
  CHECK_FALSE(contains(submission.files[1].content, "__kernel"));
  CHECK(contains(submission.files[2].content, "nobody may use ~/x"));
  for (const SentFile& file : submission.files) {
    INFO(file.name);
    CHECK_FALSE(contains(file.content, "/home/ann"));
    CHECK_FALSE(contains(file.content, "/mnt/"));
  }
}

TEST_CASE("paths beyond ASCII and at the begin of a log's line are not sent") {
  ReportProfile sent = tuned_with("tilewright tune --sysfs /mnt/j\\xc3\\xbcrgen");
  Outcome failed = example_outcome("gemm tile_m=4 tile_n=4", "NN", {}, 40.0);
  failed.result = OutcomeClass::kWrong;
  failed.build_log = "log:\n/home/ann/y.cl\n/home/j\xc3\xbcrgen/x.cl";
  sent.journal->outcomes.push_back(failed);
  const Findings doctor{{"node", FindingState::kNote, "/home/j\xc3\xbcrgen/x may not be used", ""}};
  const Submission submission = submission_of(sent, doctor, kJuergen);
  for (const SentFile& file : submission.files) {
    INFO(file.name);
    CHECK_FALSE(contains(file.content, "rgen"));
  }
  CHECK(contains(submission.files[1].content, "~/x.cl"));
  CHECK(contains(submission.files[2].content, "~/x may not be used"));
  CHECK(contains(submission_of(sent, doctor, kWords).files[1].content, "log:\\n~/y.cl"));
}

TEST_CASE("a user called as a key is changes no key") {
  const Findings doctor{{"node", FindingState::kNote, "text and id may not", "ask seen"}};
  for (const char* user : {"text", "id", "sections", "seen"}) {
    INFO(user);
    const Submission submission =
        submission_of(tuned_with("tilewright tune"), doctor, {"", user, ""});
    const auto summary = nlohmann::json::parse(submission.files[1].content);
    REQUIRE(summary.contains("sections"));
    CHECK(summary.at("sections")[0].contains("id"));
    CHECK(summary.at("sections")[0].contains("text"));
    const auto finding = nlohmann::json::parse(submission.files[2].content).at("findings")[0];
    CHECK(finding.contains("seen"));
    CHECK(finding.at("state") == "note");
  }
}

TEST_CASE("an archive is a tar of whole blocks, the same for the same files") {
  const Submission submission{"name", {{"a", "", "x"}, {"b", "", std::string(600, 'y')}}};
  const std::string tar = tar_of(submission);
  CHECK(tar.size() == 512 * (1 + 1 + 1 + 2 + 2));
  CHECK(tar == tar_of(submission));
  CHECK(tar.substr(0, 7) == std::string("name/a\0", 7));
  CHECK(tar.substr(257, 5) == "ustar");
  CHECK(tar[512] == 'x');
  CHECK_THROWS_AS(tar_of({std::string(120, 'n'), {{"a", "", ""}}}), std::length_error);
}

TEST_CASE("profiles are listed with device and origin, damaged ones with what is wrong") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("a.toml")) << write_profile(tuned_with("tilewright tune").profile);
  std::ofstream(folder.file("b.toml")) << "format = 2\n";
  const auto list = list_profiles({folder.path(), folder.file("nowhere")});
  REQUIRE(list.size() == 3);
  CHECK(list[0].kind == "generic");
  CHECK(list[0].device == "any");
  CHECK(list[1].kind == "tuned");
  CHECK(list[1].device == "board, 4 compute units");
  CHECK(contains(list[1].made, "measured on 2 products under driver driver 1, stopped"));
  CHECK(list[2].kind == "damaged");
  CHECK(contains(list[2].made, "b.toml:"));
}

}  // namespace
}  // namespace tilewright
