#include "base/mapping_guard.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/pending_names.hpp"
#include "base/text.hpp"

namespace tensorop {

// One guarded mapping; a free slot has begin = 0. The handler reads slots while other threads write them.
struct MappingGuard::Slot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<const std::string*> line{nullptr};
};

namespace {

// Blocks of slots form a list and are never freed, so that the handler can walk them at any time.
struct Block {
  std::array<MappingGuard::Slot, 64> slots;
  std::atomic<Block*> next{nullptr};
};
Block first_block;
std::mutex slots_mutex;

int messages_to = STDERR_FILENO;

void say(const char* text, std::size_t size) {
  // A failure cannot be reported anywhere.
  if (::write(messages_to, text, size) < 0) return;
}

const std::string* line_at(std::uintptr_t address) {
  for (const Block* block = &first_block; block != nullptr; block = block->next.load()) {
    for (const MappingGuard::Slot& slot : block->slots) {
      const std::uintptr_t begin = slot.begin.load();
      if (begin != 0 && begin <= address && address < slot.end.load()) return slot.line.load();
    }
  }
  return nullptr;
}

extern "C" void end_by_bus_error(int signal_number, siginfo_t* info, void* /*context*/) {
  const std::string* line =
      info->si_code == BUS_ADRERR ? line_at(reinterpret_cast<std::uintptr_t>(info->si_addr)) : nullptr;
  if (line == nullptr) {
    // Not a guarded mapping: the access is repeated and ends the process as usual.
    ::signal(signal_number, SIG_DFL);
    return;
  }
  remove_pending_names();
  say(line->data(), line->size());
  constexpr int kFailed = 2;
  ::_exit(kFailed);
}

void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = end_by_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

MappingGuard::Slot* free_slot() {
  for (Block* block = &first_block;; block = block->next.load()) {
    for (MappingGuard::Slot& slot : block->slots) {
      if (slot.line.load() == nullptr) return &slot;
    }
    if (block->next.load() == nullptr) block->next.store(new Block);
  }
}

}  // namespace

MappingGuard::MappingGuard(std::span<const std::byte> bytes, const std::string& line)
    : line_(cat("tensorop: ", line, "\n")) {
  static std::once_flag installed;
  std::call_once(installed, install_handler);
  const std::lock_guard lock(slots_mutex);
  slot_ = free_slot();
  slot_->line.store(&line_);
  slot_->end.store(reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()));
  slot_->begin.store(reinterpret_cast<std::uintptr_t>(bytes.data()));
}

void MappingGuard::report_to(int fd) {
  messages_to = fd;
}

MappingGuard::~MappingGuard() {
  const std::lock_guard lock(slots_mutex);
  slot_->begin.store(0);
  slot_->line.store(nullptr);
}

}  // namespace tensorop
