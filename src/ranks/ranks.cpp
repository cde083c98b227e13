#include "ranks/ranks.hpp"

#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "kernels/fault.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// The outcome of work on this rank.
struct Ending {
  std::optional<PlanFault> fault;
  std::optional<Failure> error;
  bool is_memory = false;
};

Ending run(const std::function<void()>& work) {
  Ending ending;
  try {
    work();
  } catch (const PlanFault& fault) {
    ending.fault = fault;
  } catch (const MemoryError& error) {
    ending.error = error;
    ending.is_memory = true;
  } catch (const Failure& error) {
    ending.error = error;
  } catch (const std::bad_alloc&) {
    ending.error = Error("out of memory");
    ending.is_memory = true;
  } catch (const std::exception& error) {
    ending.error = Error(cat("internal error: ", std::string_view(error.what())));
  }
  return ending;
}

// The message of an error without its rule, for making the error again.
std::string message_of(const Failure& error) {
  std::string line = error.what();
  if (!error.rule().empty()) line.resize(line.size() - error.rule().size() - std::strlen(" []"));
  return line;
}

[[noreturn]] void throw_error_of(const Ranks& ranks, const Ending& ending, int from) {
  const auto shared = [&](const auto& get) {
    return broadcast_text(ranks, ending.error ? get(*ending.error) : std::string(), from);
  };
  const std::string message = shared(message_of);
  const std::string rule = shared([](const Failure& error) { return error.rule(); });
  const std::string hint = shared([](const Failure& error) { return error.hint(); });
  const std::string details = shared([](const Failure& error) { return error.details(); });
  const std::string kind = broadcast_text(ranks, ending.is_memory ? "memory" : "", from);
  if (kind.empty()) throw Error(message, rule, hint, details);
  throw MemoryError(message, rule, hint, details);
}

}  // namespace

void together(const Ranks& ranks, const std::function<void()>& work) {
  const Ending ending = run(work);
  const bool failed = ending.fault || ending.error;
  ranks.set_failed_together(ranks.least(failed ? 0 : 1) == 0);
  if (!ranks.failed_together()) return;
  const std::int64_t own = ending.fault ? ending.fault->position : kNone;
  const std::int64_t position = ranks.least(own);
  const bool is_mine = position == kNone ? ending.error.has_value() : own == position;
  const auto from = static_cast<int>(ranks.least(is_mine ? ranks.rank() : ranks.size()));
  if (position == kNone) throw_error_of(ranks, ending, from);
  const FaultFacts facts = ending.fault ? static_cast<const FaultFacts&>(*ending.fault) : FaultFacts();
  throw PlanFault(broadcast_value(ranks, facts, from));
}

void alone(const Ranks& ranks, const std::function<void()>& work) {
  together(ranks, [&] {
    if (ranks.is_first()) work();
  });
}

std::string broadcast_text(const Ranks& ranks, std::string text, int from) {
  text.resize(broadcast_value(ranks, text.size(), from));
  if (!text.empty()) ranks.broadcast(std::as_writable_bytes(std::span(text)), from);
  return text;
}

std::vector<std::string> gather_texts(const Ranks& ranks, const std::string& text) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(ranks.size()));
  for (int from = 0; from < ranks.size(); ++from)
    texts.push_back(broadcast_text(ranks, from == ranks.rank() ? text : std::string(), from));
  return texts;
}

}  // namespace tensorop
