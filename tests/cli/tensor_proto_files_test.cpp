// TensorProto files through the real program: operands and results of every command, and refusals.
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/hex.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

const std::string kX =
    from_hex("08 02 08 02 10 01 42 01 78 4a 10 00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40");
const std::string kIndex = from_hex("10 07 4a 08 01 00*7");
const std::string kColumn = from_hex("08 02 10 01 4a 08 00 00 00 40 00 00 80 40");

void make_files(const TempDir& dir) {
  write_file(dir.file("x.pb"), kX);
  write_file(dir.file("i.tensorproto"), kIndex);
}

}  // namespace

TEST_CASE("a TensorProto is an operand and a result of every command", "[cli][pb]") {
  const TempDir dir;
  make_files(dir);
  const std::string column = "{\"dtype\":\"float32\",\"shape\":[2],\"data\":[2.0,4.0]}\n";
  check_done(run_in(dir, {"gather", "x.pb", "i.tensorproto", "--axis", "1"}), column);
  check_done(run_in(dir, {"gather", "-", "i.tensorproto", "--axis", "1"}, kX), column);
  check_done(run_in(dir, {"gather", "x.pb", "i.tensorproto", "--axis", "1", "--dry-run"}),
             "{\"dtype\":\"float32\",\"shape\":[2]}\n");
  check_done(run_in(dir, {"gather", "x.pb", "1", "--axis", "1", "--format", "pb"}), kColumn);
  for (const char* name : {"y.pb", "y.tensorproto", "y.PB"}) {
    check_done(run_in(dir, {"gather", "x.pb", "1", "--axis", "1", "-o", name, "--threads", "2"}), "");
    CHECK(get(dir.file(name)) == kColumn);
  }
  check_done(run_in(dir, {"info", "x.pb", "i.tensorproto"}),
             "x.pb: float32 (2,2), 16 bytes, pb raw_data, C order, name 'x'\n"
             "i.tensorproto: int64 (), 8 bytes, pb raw_data, C order\n");
  check_done(run_in(dir, {"info", "--json", "x.pb"}),
             "{\"path\":\"x.pb\",\"format\":\"pb\",\"dtype\":\"float32\",\"shape\":[2,2],\"bytes\":16,"
             "\"stored\":\"raw_data\",\"order\":\"C\",\"name\":\"x\"}\n");
  check_done(run_in(dir, {"convert", "x=x.pb", "-o", "x.npz"}), "");
  check_done(run_in(dir, {"compare", "x.npz:x", "x.pb", "-q"}), "");
  check_done(run_in(dir, {"convert", "x.pb", "-o", "x.npy"}), "");
  check_done(run_in(dir, {"convert", "x=x.npy", "-o", "again.pb"}), "");
  CHECK(get(dir.file("again.pb")) == kX);
}

TEST_CASE("jobs and cases read and write TensorProto files", "[cli][pb]") {
  const TempDir dir;
  make_files(dir);
  write_file(
      dir.file("jobs.jsonl"),
      R"({"op":"Gather","spec":"onnx-13","data":"x.pb","indices":"i.tensorproto","axis":1,"output":"y.pb"})");
  CHECK(run_in(dir, {"run", "jobs.jsonl"}).status == 0);
  CHECK(get(dir.file("y.pb")) == kColumn);
  const std::string gather = R"({"op":"gather","data":"x.pb","indices":"i.tensorproto","axis":1,"expect":)";
  write_file(dir.file("cases.jsonl"), cat(gather, "\"y.pb\"}\n", gather, "\"new.pb\"}\n"));
  CHECK(run_in(dir, {"check", "cases.jsonl"}).status == 2);
  CHECK(run_in(dir, {"check", "cases.jsonl", "--update"}).status == 0);
  CHECK(get(dir.file("new.pb")) == kColumn);
  CHECK(run_in(dir, {"check", "cases.jsonl"}).status == 0);
}

TEST_CASE("elements of 4 bits are two in a byte in files, wherever the result goes", "[cli][pb]") {
  const TempDir dir;
  const std::string five = from_hex("08 05 10 16 4a 03 87 0f 02");
  write_file(dir.file("a.pb"), five);
  check_done(run_in(dir, {"convert", "a.pb", "--format", "nested"}), "[7,-8,-1,0,2]\n");
  check_done(run_in(dir, {"gather", "a.pb", "[0,1,2,3,4]", "-o", "b.pb"}), "");
  CHECK(get(dir.file("b.pb")) == five);
  check_done(run_in(dir, {"gather", "a.pb", "[0,1,2,3,4]", "--format", "pb"}), five);
  // More than is computed at a time, and as much as windows are made for.
  const std::vector<std::string> repeat = {"broadcast", "a.pb", "--shape", "300001,5"};
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--threads", "1"}, {"--threads", "2"}, {"--memory", "1"}}) {
    std::vector<std::string> call = repeat;
    call.insert(call.end(), options.begin(), options.end());
    call.insert(call.end(), {"-o", "c.pb"});
    check_done(run_in(dir, call), "");
    const std::string bytes = get(dir.file("c.pb"));
    // Two rows are five whole bytes.
    const std::string pair = from_hex("87 0f 72 f8 20");
    std::string expected = from_hex("08 e1 a7 12 08 05 10 16 4a b3 e3 2d");
    for (int i = 0; i < 150000; ++i) expected += pair;
    CHECK(bytes == expected + from_hex("87 0f 02"));
  }
}

TEST_CASE("unknown fields are warned of once, and not when that is not wanted", "[cli][pb]") {
  const TempDir dir;
  write_file(dir.file("a.pb"), from_hex("10 02 4a 01 05 88 01 06"));
  const std::string warning = "tensorop: warning: a.pb: field 17 is not known and was skipped\n";
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{"convert", "a.pb", "--format", "nested"},
        {"add", "a.pb", "0", "--format", "nested"}}) {
    const ProcessResult result = run_in(dir, call);
    CHECK(result.status == 0);
    CHECK(result.out == "5\n");
    CHECK(result.err == warning);
  }
  check_done(run_in(dir, {"convert", "a.pb", "--format", "nested", "-q"}), "5\n");
  CHECK(run_in(dir, {"info", "a.pb"}).err == warning);
}

TEST_CASE("a TensorProto that cannot be read or written is refused by name", "[cli][pb]") {
  const TempDir dir;
  write_file(dir.file("empty.pb"), "");
  write_file(dir.file("model.pb"), from_hex("08 07 12 03 61 62 63 3a 02 0a 00 42 04 0a 00 10 0d"));
  check_refused(run_in(dir, {"gather", "empty.pb", "0"}), "gather: data: empty.pb: is empty");
  check_refused(run_in(dir, {"convert", "model.pb"}),
                "convert: model.pb: is an ONNX model, not a tensor\n"
                "hint: tensorop check FOLDER checks the folder of its case");
  check_refused(run_in(dir, {"convert", "-"}, from_hex("08 01 10 06 4a 04 09 00 00")),
                "convert: standard input: ends inside raw_data (byte 6): 4 bytes announced, 3 left");
  for (const char* to : {"-", "y.pb"}) {
    check_refused(run_in(dir, {"broadcast", R"({"dtype":"uint8","data":1})", "--shape", "2147483648",
                               "--format", "pb", "-o", to}),
                  "broadcast: the TensorProto would have 2147483662 bytes; readers of protobuf accept at "
                  "most 2147483647\n"
                  "hint: NPY and safetensors files may be larger");
  }
  check_refused(run_in(dir, {"convert", "\xff=[1]", "-o", "y.pb"}),
                "convert: the name '\\xff' is not valid UTF-8");
  CHECK(names_in(dir.path()) == std::set<std::string>{"empty.pb", "model.pb"});
}

}  // namespace tensorop
