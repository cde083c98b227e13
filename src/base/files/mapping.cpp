#include "base/files/mapping.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/checked.hpp"
#include "base/process/exit_cleanup.hpp"
#include "base/system/memory.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

// One mapping; a free slot has begin = 0. The signal handler reads slots while other threads write them.
struct Mapping::Slot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<const std::string*> line{nullptr};
};

namespace {

// Blocks of slots form a list and are never freed, so that the signal handler can walk the list at any time.
struct Block {
  std::array<Mapping::Slot, 64> slots;
  std::atomic<Block*> next{nullptr};
};
Block first_block;
std::mutex slots_mutex;

int messages_to = STDERR_FILENO;
std::atomic_flag is_ending_by_bus_error;

void say(const char* text, std::size_t size) {
  // A failure to write cannot be reported.
  if (::write(messages_to, text, size) < 0) return;
}

const std::string* line_at(std::uintptr_t address) {
  for (const Block* block = &first_block; block != nullptr; block = block->next.load()) {
    for (const Mapping::Slot& slot : block->slots) {
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
    // The address is in no mapping: with the default action, the repeated access ends the process.
    ::signal(signal_number, SIG_DFL);
    return;
  }
  // Several threads may fault at the same time; the first one ends the process.
  if (is_ending_by_bus_error.test_and_set()) {
    for (;;) ::pause();
  }
  cleanup_before_exit();
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

Mapping::Slot* free_slot() {
  for (Block* block = &first_block;; block = block->next.load()) {
    for (Mapping::Slot& slot : block->slots) {
      if (slot.line.load() == nullptr) return &slot;
    }
    if (block->next.load() == nullptr) block->next.store(new Block);
  }
}

}  // namespace

Mapping::Mapping(int fd, std::int64_t bytes, Access access, const std::string& path, const std::string& what,
                 std::string_view on_fault)
    : Mapping() {
  if (bytes == 0) return;
  const int protection = access == Access::read ? PROT_READ : PROT_READ | PROT_WRITE;
  void* address = os().mmap(to_size(bytes), protection, MAP_SHARED, fd);
  if (address == MAP_FAILED) throw_not_mapped(bytes, path, what);
  bytes_ = {static_cast<std::byte*>(address), to_size(bytes)};
  line_ = std::make_unique<const std::string>(cat("tensorop: ", printable(path), ": ", on_fault, "\n"));
  static std::once_flag installed;
  std::call_once(installed, install_handler);
  const std::lock_guard lock(slots_mutex);
  slot_ = free_slot();
  slot_->line.store(line_.get());
  slot_->end.store(reinterpret_cast<std::uintptr_t>(bytes_.data() + bytes_.size()));
  slot_->begin.store(reinterpret_cast<std::uintptr_t>(bytes_.data()));
}

Mapping::~Mapping() {
  if (slot_ != nullptr) {
    const std::lock_guard lock(slots_mutex);
    slot_->begin.store(0);
    slot_->line.store(nullptr);
  }
  if (!bytes_.empty()) os().munmap(bytes_.data(), bytes_.size());
}

Mapping::Mapping(Mapping&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})),
      line_(std::move(other.line_)),
      slot_(std::exchange(other.slot_, nullptr)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(line_, other.line_);
  std::swap(slot_, other.slot_);
  return *this;
}

void Mapping::report_to(int fd) {
  messages_to = fd;
}

}  // namespace tensorop
