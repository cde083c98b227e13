// `check --command` that a signal ends. All else of it is in check_command.md.
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::cli_check_command_test {

TEST_CASE("a signal ends the programs and removes their files", "[cli][check][command]") {
  for (const auto& [signal, status] :
       std::vector<std::pair<std::string, int>>{{"TERM", 143}, {"HUP", 129}, {"PIPE", 141}}) {
    CAPTURE(signal);
    const TempDir dir;
    // The fifo is open for as long as one of the two programs lives.
    const auto result = shell(dir, cat(R"(
echo '{"op":"gather","data":[1,2],"indices":[0,1],"name":"n"}' > f
mkdir tmp
mkfifo fifo
TMPDIR=$PWD/tmp "$B" check f --shell --command ': {output}; exec 3> fifo; echo ready >&3; sleep 1000 & sleep 1000' &
exec 3< fifo
read -r line <&3
ls -A tmp | wc -l
kill -)",
                                       signal, R"( $!
cat <&3
wait $! || echo "status $?"
ls -A tmp | wc -l
)"));
    // A reader that is gone is told nothing.
    const std::string report = signal == "PIPE" ? ""
                                                : cat("f:1: interrupted: n\ninterrupted by SIG", signal,
                                                      ": 1 case: 0 equal, 1 interrupted\n");
    CHECK(result.out == cat("1\n", report, "status ", status, "\n0\n"));
    CHECK(result.err.find("rror") == std::string::npos);
  }
}

}  // namespace tensorop::cli_check_command_test
