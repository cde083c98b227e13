// Numbers as text through the real program: in pipelines, in jobs, where redirection says what is wanted, and
// casts of untyped numbers by convert.
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

struct Row {
  std::string command;  // for the shell; the program is "$B"
  std::string out;
  std::string err = {};
};

void check_rows(const TempDir& dir, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.command);
    const ProcessResult result = shell(dir, row.command);
    CHECK(result.out == row.out);
    CHECK(result.err == row.err);
    CHECK(result.status == (row.err.empty() ? 0 : 2));
  }
}

}  // namespace

TEST_CASE("numbers as text are operands and results of pipelines", "[cli][table]") {
  const TempDir dir;
  write_file(dir.file("t.txt"), "10\n20\n30\n");
  write_file(dir.file("one.csv"), "1\n");
  write_file(dir.file("m.CSV"), "1,2\n3,4\n");
  check_rows(
      dir,
      {
          {"seq 0 2 | \"$B\" gather t.txt - --format nested", "[10,20,30]\n"},
          {"printf '0 1\\n2 0\\n' | \"$B\" gather t.txt - --format nested", "[[10,20],[30,10]]\n"},
          {"echo 1 | \"$B\" gather t.txt - --format nested", "20\n"},
          {"echo 1 | \"$B\" gather t.txt - --input-format text --format nested", "[20]\n"},
          {": | \"$B\" gather t.txt - --input-format text --format nested", "[]\n"},
          {"\"$B\" gather t.txt one.csv --format nested", "[20]\n"},
          {"\"$B\" gather '[10,20,30]' one.csv --input-format json --format nested", "20\n"},
          {"\"$B\" gather m.CSV 1 --format csv", "3\n4\n"},
          {"\"$B\" gather m.CSV '[1,0]' --format tsv", "3\t4\n1\t2\n"},
          {"\"$B\" broadcast 7 --shape one.csv --format nested", "[7]\n"},
          {"\"$B\" gather m.CSV '[1]' -o o.txt && cat o.txt", "3 4\n"},
          {"\"$B\" info m.CSV t.txt",
           "m.CSV: int64 (2,2), 32 bytes, csv\nt.txt: int64 (3), 24 bytes, text\n"},
          {"echo '{\"op\":\"gather\",\"data\":\"t.txt\",\"indices\":\"one\",\"input_format\":\"text\","
           "\"output\":\"o.json\",\"format\":\"nested\"}' >j && echo 2 >one && \"$B\" run j -q && cat o.json",
           "[30]\n"},
          {"\"$B\" add '{\"dtype\":\"float16\",\"data\":[1,2,3]}' t.txt --format text", "11.0\n22.0\n33.0\n"},
          {"echo 1,2 | \"$B\" gather t.txt - --input-format tsv", "",
           "tensorop: gather: indices: standard input: line 1, column 2: expected a tab or the end of the "
           "line, found "
           "','\n"},
          {"printf '\"a\",\"b\"\\n1,2\\n' >q.csv; \"$B\" gather q.csv 0", "",
           "tensorop: gather: data: q.csv: line 1, column 1: '\"a\"' is not a number\n"
           "hint: tail -n +2 FILE leaves out a header line: tail -n +2 FILE | tensorop ... -\n"},
          {"echo '\"a\"' | \"$B\" convert - --format nested", "\"a\"\n"},
          {"\"$B\" gather t.txt 0 --input-format npy", "",
           "tensorop: gather: --input-format: 'npy' is not one of auto, json, text, csv, tsv\n"},
          {"\"$B\" gather '[[[1]]]' '[0]' -o o.csv; ls o.csv 2>&-", "",
           "tensorop: gather: a text table has rank 0, 1 or 2, the result has shape (1,1,1)\n"
           "hint: npy and json hold any tensor\n"},
      });
}

TEST_CASE("a redirection to a file of another format is refused", "[cli][table]") {
  const TempDir dir;
  const auto refused = [](const std::string& file, const std::string& end) {
    return cat("tensorop: standard output is ", file, ", but the result is JSON\nhint: -o ", file, " writes ",
               end, "\n");
  };
  check_rows(dir,
             {
                 {"\"$B\" gather '[1]' 0 >y.npy", "", refused("y.npy", "NPY; so does --format npy")},
                 {"\"$B\" gather '[1]' 0 >y.CSV", "", refused("y.CSV", "CSV; so does --format csv")},
                 {"\"$B\" gather '[1]' 0 --format json >y.npy; cat y.npy",
                  "{\"dtype\":\"int64\",\"shape\":[],\"data\":1}\n"},
                 {"\"$B\" gather '[1]' 0 --format npy >y.npy; \"$B\" convert y.npy --format nested", "1\n"},
                 {"\"$B\" gather '[1]' 0 --format nested >y.txt; cat y.txt", "1\n"},
                 {"\"$B\" gather '[1]' 0 >y.json; \"$B\" gather '[1]' 0 >y; cmp y y.json", ""},
             });
}

TEST_CASE("convert casts untyped numbers as it casts all others", "[cli][table]") {
  const TempDir dir;
  struct Cast {
    std::string data;
    std::string typed;  // the dtype that the numbers have as described JSON
    std::string to;
    std::string result;  // or the message
  };
  const std::vector<Cast> casts = {
      {"[1.5,-1.9,1e3]", "float64", "int32", "[1,-1,1000]"},
      {"[0,1,-2]", "int64", "bool", "[false,true,true]"},
      {"[0.0,-0.0,0.5]", "float64", "bool", "[false,false,true]"},
      {"[true,false]", "bool", "int8", "[1,0]"},
      {"[true,false]", "bool", "float16", "[1.0,0.0]"},
      {"[1,300]", "int64", "uint8", "element [1] = 300 does not fit in uint8"},
      {"[1.5,300.5]", "float64", "uint8", "element [1] = 300.5 does not fit in uint8"},
      {"[\"NaN\",1]", "float64", "bool", "[true,true]"},
  };
  for (const Cast& cast : casts) {
    for (const std::string& text :
         {cast.data, cat(R"({"dtype":")", cast.typed, R"(","data":)", cast.data, "}")}) {
      CAPTURE(text, cast.to);
      const ProcessResult result = run_tensorop({"convert", text, "--dtype", cast.to, "--format", "nested"});
      if (cast.result.starts_with('[')) {
        check_done(result, cast.result + "\n");
      } else {
        CHECK(result.err.starts_with(cat("tensorop: convert: ", cast.result)));
        CHECK(result.status == 2);
      }
    }
  }
  // More exact than float64, which typed numbers with a fraction would be.
  check_done(run_tensorop({"convert", "[1.5,9007199254740993,18446744073709551615]", "--dtype", "uint64",
                           "--format", "nested"}),
             "[1,9007199254740993,18446744073709551615]\n");
  check_done(shell(dir, "printf '0.5 1\\n2 3\\n' | \"$B\" convert - --dtype int8 --format csv"),
             "0,1\n2,3\n");
  check_refused(run_tensorop({"convert", "[0,true]", "--dtype", "bool"}),
                "convert: element [1]: expected a number, found true or false");
  check_refused(run_tensorop({"convert", "[true,1]", "--dtype", "int8"}),
                "convert: element [1]: expected true or false, found a number");
}

TEST_CASE("an archive is converted with all its arrays", "[cli][npz]") {
  const TempDir dir;
  check_rows(dir, {
                      {"\"$B\" convert a=[1] b=[2.5] -o d.npz && \"$B\" convert d.npz c=[3] -o e.NPZ && "
                       "\"$B\" info e.NPZ",
                       "e.NPZ:a: int64 (1), 8 bytes, npz <i8, C order, stored\n"
                       "e.NPZ:b: float64 (1), 8 bytes, npz <f8, C order, stored\n"
                       "e.NPZ:c: int64 (1), 8 bytes, npz <i8, C order, stored\n"},
                  });
}

}  // namespace tensorop
