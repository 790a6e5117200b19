// A SimGrid platform from a file that topoloom wrote: one zone with all hosts, which follows topoloom's tables from switch to
// switch whenever SimGrid asks for a route. Compiled once; environment variables give the network:
//   TOPOLOOM_FABRIC  the network (for the file see platform.py)
//   TOPOLOOM_LAYERS  additional tables, for messages with their own paths: each port of a host has an address in each of them,
//                    "address" and layer * number of all host ports + port (optional; see platform.py)
//   TOPOLOOM_LOADS   output file for the simulated time (SimGrid's own line has six digits), the time between a trace's marks,
//                    the bytes carried by each direction of each link, and the operations computed by each rank (optional)
//   TOPOLOOM_MATRIX  output file for float64[hosts, hosts]: the bytes from each host to each other host (optional; only where
//                    links are shared fairly)
//   TOPOLOOM_ROUTES  pairs of hosts, one per line; their routes are written to the same name with ".out" (optional)
#include "fabric.h"

#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sg = simgrid::s4u;

// SimGrid 3.32 signals the end of each message, but its headers do not export the class of that message. (Its plugin for the
// load of links counts the delays as load.)
namespace simgrid::kernel::resource {
class NetworkAction : public Action {
public:
  std::list<StandardLinkImpl*> get_links() const;
};
} // namespace simgrid::kernel::resource

namespace {

Fabric net;
Layers layers;
std::vector<sg::Host*> hosts;

// Parts of a route: SimGrid's links (null for none) and their delays. A cable and a plug have two each, up (from the lower
// switch, or from the host) and down; `both` is shared by both directions of a half-duplex link.
struct Pass {
  simgrid::kernel::resource::StandardLinkImpl* link = nullptr;
  double latency_s                                  = 0;
};
std::vector<Pass> cable, plug, loop, inside, both_cable, both_plug;
// The rows of `net.next`, one per table and switch with hosts: the rows that lead to each port of each host.
std::vector<std::int64_t> row_of;
// For each port, the index of its switch among the switches with hosts.
std::vector<std::int64_t> carrier_of;

class Tables : public simgrid::kernel::routing::NetZoneImpl {
public:
  explicit Tables(const std::string& name) : NetZoneImpl(name) {}

  // The zone contains only hosts, followed by addresses, so that a point's number is that of its host or address.
  void get_local_route(const simgrid::kernel::routing::NetPoint* from, const simgrid::kernel::routing::NetPoint* to,
                       simgrid::kernel::routing::Route* route, double* latency) override
  {
    auto pass = [&](const Pass& next) {
      if (next.link != nullptr)
        route->link_list_.push_back(next.link);
      *latency += next.latency_s;
    };
    const auto a = static_cast<std::int64_t>(from->id()), b = static_cast<std::int64_t>(to->id());
    if (a >= net.hosts) {
      const auto ports = net.hosts * net.ports, out = (a - net.hosts) % ports, in = (b - net.hosts) % ports;
      const auto row   = (a - net.hosts) / ports * net.carriers + carrier_of[in];
      return walk(out, in, &layers.next[row * net.switches], pass);
    }
    if (a == b)
      return pass(loop[a]);
    // With several ports, the two hosts determine the port, the same at both ends, so that all ports are used equally.
    const auto port = (a + b) % net.ports;
    const auto out = a * net.ports + port, in = b * net.ports + port;
    walk(out, in, &net.next[row_of[in]], pass);
  }

private:
  // The path from one port to another, along a row of next hops.
  template <class Passing>
  static void walk(std::int64_t out, std::int64_t in, const std::int32_t* next, const Passing& pass)
  {
    pass(plug[2 * out]);
    auto at = net.host_switch[out];
    pass(inside[at]);
    pass(both_plug[out]);
    const auto goal = net.host_switch[in];
    for (std::int64_t hops = 0; at != goal; hops++) {
      const auto channel = next[at];
      if (channel < 0 || hops >= net.switches)
        throw std::runtime_error("topoloom: the tables do not lead everywhere");
      at = net.ends[channel ^ 1];
      pass(cable[channel]);
      pass(both_cable[channel / 2]);
      pass(inside[at]);
    }
    pass(plug[2 * in + 1]);
    pass(both_plug[in]);
  }
};

// The bytes carried by each direction: index twice the cable, plus one for the reverse direction.
std::vector<double> carried;
constexpr std::size_t NOWHERE = static_cast<std::size_t>(-1);

// SimGrid shares a link by the inverse of a message's delay, as TCP would. For fair sharing, every route has the same nominal
// delay, and a message's real delay is a multiple of it: the sum of its links' delays.
constexpr double NOMINAL_S = 1e-6;
struct Facts {
  double delay_s        = 0;
  std::size_t direction = NOWHERE;
};
std::unordered_map<const void*, Facts> facts_of; // by SimGrid's inner links

// The bytes from each host to each other host, by rows of the sender.
std::vector<double> exchanged;
std::unordered_map<const sg::Host*, std::size_t> number_of;

double delayed(double bytes, const sg::Host* from, const sg::Host* to, const std::vector<sg::Link*>& links,
               const std::unordered_set<sg::NetZone*>&)
{
  if (!exchanged.empty())
    exchanged[number_of.at(from) * number_of.size() + number_of.at(to)] += bytes;
  double delay_s = 0;
  for (const auto* link : links) {
    const auto& facts = facts_of.at(link->get_impl());
    delay_s += facts.delay_s;
    if (facts.direction != NOWHERE)
      carried[facts.direction] += bytes;
  }
  return delay_s / NOMINAL_S;
}

// With SimGrid's own sharing, bytes are counted when a message has ended.
void message_ended(const simgrid::kernel::resource::NetworkAction& action, simgrid::kernel::resource::Action::State)
{
  if (action.get_state() != simgrid::kernel::resource::Action::State::FINISHED)
    return;
  for (const auto* link : action.get_links()) {
    const auto direction = facts_of.at(link).direction;
    if (direction != NOWHERE)
      carried[direction] += action.get_cost();
  }
}

// In a trace, computations of these numbers of operations (program.py) mark where the program's clock starts and stops; the
// rank that takes longest counts.
constexpr double STARTS = 0x1p-10, STOPS = 0x1p-11;
double clocked_s = -1;

// By actor: SMPI's actors are the ranks, in order.
struct Computed {
  double flops = 0, started_s = 0;
};
std::map<aid_t, Computed> computed;

void computes(const sg::Exec& exec)
{
  const double flops = exec.get_cost(), now = sg::Engine::get_clock();
  auto& mine = computed[sg::this_actor::get_pid()];
  if (flops == STARTS)
    mine.started_s = now;
  else if (flops == STOPS)
    clocked_s = std::max(clocked_s, now - mine.started_s);
  else
    mine.flops += flops;
}

void write_loads()
{
  std::ofstream out(std::getenv("TOPOLOOM_LOADS"));
  out.precision(17);
  out << "time " << sg::Engine::get_clock() << '\n';
  if (clocked_s >= 0)
    out << "clock " << clocked_s << '\n';
  for (std::int64_t l = 0; l < net.links; l++)
    out << "link " << carried[2 * l] << ' ' << carried[2 * l + 1] << '\n';
  for (const auto& [actor, mine] : computed)
    out << "rank " << actor - 1 << ' ' << mine.flops << '\n';
}

void write_matrix()
{
  std::ofstream out(std::getenv("TOPOLOOM_MATRIX"), std::ios::binary);
  out.write(reinterpret_cast<const char*>(exchanged.data()), static_cast<std::streamsize>(exchanged.size() * sizeof(double)));
}

void write_routes()
{
  const std::string path = std::getenv("TOPOLOOM_ROUTES");
  std::ifstream in(path);
  std::ofstream out(path + ".out");
  out.precision(17);
  std::size_t a, b;
  while (in >> a >> b) {
    std::vector<sg::Link*> links;
    double latency_s = 0;
    hosts.at(a)->route_to(hosts.at(b), links, &latency_s);
    if (net.fair) {
      latency_s = 0;
      for (const auto* link : links)
        latency_s += facts_of.at(link->get_impl()).delay_s;
    }
    out << latency_s;
    for (const auto* link : links)
      out << ' ' << link->get_name();
    out << '\n';
  }
}

} // namespace

extern "C" void load_platform(const sg::Engine& engine);
void load_platform(const sg::Engine&)
{
  net           = load(std::getenv("TOPOLOOM_FABRIC"));
  const auto& f = net;
  if (std::getenv("TOPOLOOM_LAYERS") != nullptr)
    layers = load_layers(std::getenv("TOPOLOOM_LAYERS"), f);
  // With fair sharing, the delay of a link and of the switch after it is applied in `delayed`, and each host's link has half of
  // the nominal delay.
  auto late = [&f](sg::Link* link, double own_s, double behind_s, double nominal_s) {
    facts_of[link->get_impl()].delay_s = own_s + behind_s;
    const auto latency_s               = f.fair ? nominal_s : own_s;
    link->set_latency(latency_s);
    return Pass{link->get_impl(), latency_s};
  };
  const bool loads = std::getenv("TOPOLOOM_LOADS") != nullptr;
  auto* world = (new Tables("world"))->get_iface();

  // One link per direction, up and down.
  auto two = [&](std::vector<Pass>& into, const std::string& name, double bytes_s, double own_s, double up_s, double down_s,
                 double nominal_s) {
    auto* link = world->create_split_duplex_link(name, bytes_s);
    into.push_back(late(link->get_link_up(), own_s, up_s, nominal_s));
    into.push_back(late(link->get_link_down(), own_s, down_s, nominal_s));
    link->seal();
  };
  // On a half-duplex cable, either direction also passes one link that both directions share.
  auto shared = [&](const std::string& name, double bytes_s) {
    if (!f.half_duplex)
      return Pass{};
    auto* link = world->create_link("both_" + name, bytes_s);
    auto found = late(link, 0, 0, 0);
    link->seal();
    return found;
  };
  for (std::int64_t h = 0; h < f.hosts; h++) {
    const auto name = std::to_string(h);
    hosts.push_back(world->create_host("host" + name, f.speed_flops)->set_core_count(static_cast<int>(f.cores))->seal());
    for (std::int64_t port = 0; port < f.ports; port++) {
      const auto socket = "plug" + name + (f.ports > 1 ? "." + std::to_string(port) : "");
      const auto bytes_s = f.host_bytes_s[h * f.ports + port];
      two(plug, socket, bytes_s, f.host_latency_s, f.switch_latency_s, 0, NOMINAL_S / 2);
      both_plug.push_back(shared(socket, bytes_s));
    }
    auto* own = world->create_link("loop" + name, f.loop_bytes_s);
    loop.push_back(late(own, f.loop_latency_s, 0, NOMINAL_S));
    own->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)->seal();
  }
  for (std::int64_t a = 0; a < layers.count * f.hosts * f.ports; a++)
    world->create_host("address" + std::to_string(a), f.speed_flops)->seal();
  for (std::int64_t l = 0; l < f.links; l++) {
    const auto name = "cable" + std::to_string(l);
    two(cable, name, f.link_bytes_s[l], f.latency_s[l], f.switch_latency_s, f.switch_latency_s, 0);
    both_cable.push_back(shared(name, f.link_bytes_s[l]));
  }
  // Without fair sharing, a switch is a link that delays all traffic and shares nothing.
  inside.resize(f.switches);
  for (std::int64_t s = 0; !f.fair && s < f.switches; s++) {
    auto* own = world->create_link("switch" + std::to_string(s), 1e18);
    inside[s] = late(own, f.switch_latency_s, 0, 0);
    own->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)->seal();
  }
  std::vector<std::int64_t> place(f.switches, -1), met(f.switches, 0);
  for (std::int64_t c = 0; c < f.carriers; c++)
    place[f.carrier[c]] = c;
  for (const auto s : f.host_switch) {
    row_of.push_back((met[s]++ % f.tables * f.carriers + place[s]) * f.switches);
    carrier_of.push_back(place[s]);
  }
  world->seal();
  if (f.fair)
    world->get_network_model()->set_lat_factor_cb(delayed);
  if (std::getenv("TOPOLOOM_MATRIX") != nullptr) {
    exchanged.assign(f.hosts * f.hosts, 0);
    for (std::int64_t h = 0; h < f.hosts; h++)
      number_of[hosts[h]] = h;
    sg::Engine::on_simulation_end_cb(write_matrix);
  }

  if (loads) {
    carried.assign(cable.size(), 0);
    for (std::size_t c = 0; c < cable.size(); c++)
      facts_of[cable[c].link].direction = c;
    sg::Exec::on_start_cb(computes);
    if (!f.fair)
      sg::Link::on_communication_state_change_cb(message_ended);
    sg::Engine::on_simulation_end_cb(write_loads);
  }
  if (std::getenv("TOPOLOOM_ROUTES") != nullptr)
    sg::Engine::on_simulation_end_cb(write_routes);
}
