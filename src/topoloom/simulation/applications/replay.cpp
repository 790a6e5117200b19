// A schedule on a SimGrid platform: operations of ranks with dependencies, from a file that simgrid_backend.py writes.
//   replay PLATFORM [SimGrid's options]
//   TOPOLOOM_SCHEDULE  the schedule
//   TOPOLOOM_RANKS     output file with one line per rank: the seconds in which at least one of its CPUs computed
// Each CPU is an actor that takes one job after the other; each message is an actor while it travels. The rules are those of
// flows/kernels/order.py.
#include "fabric.h"

#include <simgrid/s4u.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

namespace {

enum Kind : std::uint8_t { SEND = 1, RECV = 2, CALC = 3 };
enum Phase : std::uint8_t { WAITS, POSTED, TRAVELS, CAME };
constexpr std::int64_t ANY = -1;

struct Schedule {
  std::int64_t ranks, operations, cpus;
  double detached, eager;
  std::vector<std::int64_t> first, tag, done_first, start_first;
  std::vector<std::int32_t> home, peer, done_next, start_next;
  // For each send, the addresses of its message's ends; empty where messages go between hosts.
  std::vector<std::int32_t> out, into;
  std::vector<std::uint8_t> kind, cpu;
  std::vector<double> amount;
};

Schedule s;
std::vector<std::int64_t> rank_of, needs, partner;
std::vector<Phase> phase;
std::int64_t over = 0;
std::deque<std::int64_t> ready;
// By receiver: waiting receives and posted sends, in order; one list per sender and tag where no receive matches anything.
using Key = std::pair<std::int64_t, std::int64_t>;
std::vector<std::map<Key, std::list<std::int64_t>>> awaited, sent;
bool picky = true;

struct Cpu {
  std::deque<std::int64_t> jobs;
  sg::SemaphorePtr jobs_there;
};
std::vector<Cpu> cpus;

struct Working {
  int cpus      = 0;
  double since  = 0;
  double worked = 0;
};
std::vector<Working> working;

Schedule load_schedule(const char* path)
{
  std::ifstream in(path, std::ios::binary);
  char magic[8];
  read(in, magic, 8);
  const bool addressed = std::memcmp(magic, "TLADDRES", 8) == 0;
  if (!addressed && std::memcmp(magic, "TLORDERS", 8) != 0)
    throw std::runtime_error("topoloom: TOPOLOOM_SCHEDULE names no schedule");
  Schedule f;
  std::int64_t counts[3];
  double limits[2];
  read(in, counts, 3);
  read(in, limits, 2);
  f.ranks = counts[0], f.operations = counts[1], f.cpus = counts[2];
  f.detached = limits[0], f.eager = limits[1];
  read(in, f.first, f.ranks + 1);
  read(in, f.home, f.ranks);
  read(in, f.kind, f.operations);
  read(in, f.peer, f.operations);
  read(in, f.amount, f.operations);
  read(in, f.tag, f.operations);
  read(in, f.cpu, f.operations);
  read(in, f.done_first, f.operations + 1);
  read(in, f.done_next, f.done_first.back());
  read(in, f.start_first, f.operations + 1);
  read(in, f.start_next, f.start_first.back());
  if (addressed) {
    read(in, f.out, f.operations);
    read(in, f.into, f.operations);
  }
  return f;
}

sg::Host* host_of(std::int64_t rank)
{
  return sg::Host::by_name("host" + std::to_string(s.home[rank]));
}

sg::Host* address(std::int32_t number)
{
  return sg::Host::by_name("address" + std::to_string(number));
}

void freed(const std::vector<std::int64_t>& first, const std::vector<std::int32_t>& next, std::int64_t i)
{
  for (auto place = first[i]; place < first[i + 1]; place++)
    if (--needs[next[place]] == 0)
      ready.push_back(next[place]);
}

void started(std::int64_t i)
{
  freed(s.start_first, s.start_next, i);
}

void done(std::int64_t i)
{
  over++;
  freed(s.done_first, s.done_next, i);
}

void for_cpu(std::int64_t i)
{
  auto& mine = cpus[rank_of[i] * s.cpus + s.cpu[i]];
  mine.jobs.push_back(i);
  mine.jobs_there->release();
}

Key key(std::int64_t source, std::int64_t tag)
{
  return picky ? Key(source, tag) : Key(0, 0);
}

// Removes and returns the oldest match of a list; -1: none.
std::int64_t matching(std::vector<std::map<Key, std::list<std::int64_t>>>& lists, std::int64_t source, std::int64_t goal,
                      std::int64_t tag)
{
  const auto found = lists[goal].find(key(source, tag));
  if (found == lists[goal].end())
    return -1;
  auto& list = found->second;
  for (auto it = list.begin(); it != list.end(); ++it) {
    const auto j      = *it;
    const auto theirs = s.kind[j] == RECV ? s.peer[j] : rank_of[j];
    if ((theirs == source || theirs == ANY || source == ANY) && (s.tag[j] == tag || s.tag[j] == ANY || tag == ANY)) {
      list.erase(it);
      if (list.empty())
        lists[goal].erase(found);
      return j;
    }
  }
  return -1;
}

void go_on();

void set_out(std::int64_t i)
{
  phase[i]   = TRAVELS;
  auto* from = s.out.empty() ? host_of(rank_of[i]) : address(s.out[i]);
  auto* to   = s.out.empty() ? host_of(s.peer[i]) : address(s.into[i]);
  sg::Actor::create("message", from, [i, from, to]() {
    sg::Comm::sendto(from, to, static_cast<std::uint64_t>(std::llround(s.amount[i])));
    if (s.amount[i] >= s.detached)
      done(i);
    if (partner[i] < 0)
      phase[i] = CAME;
    else
      for_cpu(partner[i]);
    go_on();
  });
}

// Starts all operations that can start now.
void go_on()
{
  while (!ready.empty()) {
    const auto i = ready.front();
    ready.pop_front();
    if (s.kind[i] == RECV) {
      started(i);
      const auto goal = rank_of[i];
      const auto j    = matching(sent, s.peer[i], goal, s.tag[i]);
      if (j < 0) {
        awaited[goal][key(s.peer[i], s.tag[i])].push_back(i);
        continue;
      }
      partner[j] = i;
      if (phase[j] == POSTED) {
        set_out(j);
        continue;
      }
      if (phase[j] == TRAVELS)
        continue;
    }
    for_cpu(i);
  }
  if (over == s.operations)
    for (auto& one : cpus)
      if (one.jobs_there)
        one.jobs_there->release();
}

void do_job(std::int64_t i)
{
  const auto rank = rank_of[i];
  if (s.kind[i] == RECV)
    return done(i);
  started(i);
  if (s.kind[i] == CALC) {
    if (s.amount[i] > 0) {
      go_on();
      auto& mine = working[rank];
      if (mine.cpus++ == 0)
        mine.since = sg::Engine::get_clock();
      sg::this_actor::sleep_for(s.amount[i]);
      if (--mine.cpus == 0)
        mine.worked += sg::Engine::get_clock() - mine.since;
    }
    return done(i);
  }
  phase[i]        = POSTED;
  const auto goal = s.peer[i];
  partner[i]      = matching(awaited, rank, goal, s.tag[i]);
  if (partner[i] < 0)
    sent[goal][key(rank, s.tag[i])].push_back(i);
  if (partner[i] >= 0 || s.amount[i] < s.eager)
    set_out(i);
  if (s.amount[i] < s.detached)
    done(i);
}

void work(Cpu* mine)
{
  while (true) {
    mine->jobs_there->acquire();
    if (mine->jobs.empty())
      return; // all operations are done
    const auto i = mine->jobs.front();
    mine->jobs.pop_front();
    do_job(i);
    go_on();
  }
}

void give_up()
{
  std::cout << "stuck " << over << std::endl;
  std::exit(3);
}

} // namespace

int main(int argc, char** argv)
{
  sg::Engine engine(&argc, argv);
  s = load_schedule(std::getenv("TOPOLOOM_SCHEDULE"));
  engine.load_platform(argv[1]);
  rank_of.resize(s.operations);
  needs.assign(s.operations, 0);
  partner.assign(s.operations, -1);
  phase.assign(s.operations, WAITS);
  awaited.resize(s.ranks), sent.resize(s.ranks), working.resize(s.ranks), cpus.resize(s.ranks * s.cpus);
  for (const auto next : s.done_next)
    needs[next]++;
  for (const auto next : s.start_next)
    needs[next]++;
  for (std::int64_t rank = 0; rank < s.ranks; rank++)
    for (auto i = s.first[rank]; i < s.first[rank + 1]; i++) {
      rank_of[i] = rank;
      picky      = picky && (s.kind[i] == CALC || (s.peer[i] != ANY && s.tag[i] != ANY));
      auto& mine = cpus[rank * s.cpus + s.cpu[i]];
      if (mine.jobs_there)
        continue;
      mine.jobs_there = sg::Semaphore::create(0);
      sg::Actor::create("cpu", host_of(rank), work, &mine);
    }
  sg::Actor::create("begin", host_of(0), []() {
    for (std::int64_t i = 0; i < s.operations; i++)
      if (needs[i] == 0)
        ready.push_back(i);
    go_on();
  });
  sg::Engine::on_deadlock_cb(give_up);
  engine.run();
  for (const auto& mine : sent)
    if (!mine.empty())
      give_up();
  std::ofstream out(std::getenv("TOPOLOOM_RANKS"));
  out.precision(17);
  for (const auto& one : working)
    out << one.worked << '\n';
  return 0;
}
