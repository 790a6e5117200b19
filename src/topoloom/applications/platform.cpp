// A SimGrid platform from a file that topoloom wrote: one star zone a switch that carries hosts, and a route between any two
// of them along topoloom's tables, hop by hop. Compiled once; which network it is, the environment says:
//   TOPOLOOM_FABRIC  the network (platform.py describes the file)
//   TOPOLOOM_LOADS   where to write, at the end, the simulated time (SimGrid's own line has six digits), the bytes that each
//                    direction of each link has carried, and the operations that each host has computed (optional)
//   TOPOLOOM_MATRIX  where to write, at the end, float64[hosts, hosts]: the bytes that each host has sent to each other one
//                    (optional; only where links are shared evenly)
//   TOPOLOOM_ROUTES  pairs of hosts, a line each; their routes are written beside it, to the same name with ".out" (optional)
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/plugins/load.h>
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <list>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sg = simgrid::s4u;

// SimGrid 3.32 tells of each message that ends, but its headers keep the class of that message to themselves. (Its plugin for
// the load of links counts the delays as load.)
namespace simgrid::kernel::resource {
class NetworkAction : public Action {
public:
  std::list<StandardLinkImpl*> get_links() const;
};
} // namespace simgrid::kernel::resource

namespace {

struct Fabric {
  std::int64_t switches, links, hosts, carriers, cores, half_duplex, fair;
  double speed_flops, link_bytes_s, host_bytes_s, host_latency_s, switch_latency_s, loop_bytes_s, loop_latency_s;
  std::vector<std::int32_t> ends, host_switch, carrier, next;
  std::vector<double> latency_s;
};

template <class T> void read(std::ifstream& in, T* values, std::size_t count)
{
  in.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
  if (!in)
    throw std::runtime_error("topoloom: the file of the network is cut short");
}

template <class T> void read(std::ifstream& in, std::vector<T>& values, std::size_t count)
{
  values.resize(count);
  read(in, values.data(), count);
}

Fabric load(const char* path)
{
  std::ifstream in(path, std::ios::binary);
  char magic[8];
  read(in, magic, 8);
  if (std::memcmp(magic, "TLFABRIC", 8) != 0)
    throw std::runtime_error("topoloom: TOPOLOOM_FABRIC names no network");
  Fabric f;
  std::int64_t counts[7];
  double rates[7];
  read(in, counts, 7);
  read(in, rates, 7);
  f.switches = counts[0], f.links = counts[1], f.hosts = counts[2], f.carriers = counts[3], f.cores = counts[4];
  f.half_duplex = counts[5], f.fair = counts[6];
  f.speed_flops = rates[0], f.link_bytes_s = rates[1], f.host_bytes_s = rates[2], f.host_latency_s = rates[3];
  f.switch_latency_s = rates[4], f.loop_bytes_s = rates[5], f.loop_latency_s = rates[6];
  read(in, f.ends, 2 * f.links);
  read(in, f.latency_s, f.links);
  read(in, f.host_switch, f.hosts);
  read(in, f.carrier, f.carriers);
  read(in, f.next, f.carriers * f.switches);
  return f;
}

std::vector<sg::SplitDuplexLink*> cables;
std::vector<sg::SplitDuplexLink*> plugs;
std::vector<sg::Host*> hosts;

// The bytes that each direction has carried: twice the cable, and one more against its order.
std::vector<double> carried;
constexpr std::size_t NOWHERE = static_cast<std::size_t>(-1);

// SimGrid shares a link by the inverse of a message's delay, as TCP would. Where all are to get the same, every route has the
// same nominal delay, and a message's own is a multiple of it: the sum of its links' own.
constexpr double NOMINAL_S = 1e-6;
struct Facts {
  double delay_s        = 0;
  std::size_t direction = NOWHERE;
};
std::unordered_map<const sg::Link*, Facts> facts_of;

// The bytes that each host has sent to each other one, the sender's row first.
std::vector<double> exchanged;
std::unordered_map<const sg::Host*, std::size_t> number_of;

double delayed(double bytes, const sg::Host* from, const sg::Host* to, const std::vector<sg::Link*>& links,
               const std::unordered_set<sg::NetZone*>&)
{
  if (!exchanged.empty())
    exchanged[number_of.at(from) * number_of.size() + number_of.at(to)] += bytes;
  double delay_s = 0;
  for (const auto* link : links) {
    const auto& facts = facts_of.at(link);
    delay_s += facts.delay_s;
    if (facts.direction != NOWHERE && !carried.empty())
      carried[facts.direction] += bytes;
  }
  return delay_s / NOMINAL_S;
}

// Where SimGrid shares as it does, it is asked when a message has ended; there the links are SimGrid's inner ones.
std::unordered_map<const void*, std::size_t> direction_of;

void message_ended(const simgrid::kernel::resource::NetworkAction& action, simgrid::kernel::resource::Action::State)
{
  if (action.get_state() != simgrid::kernel::resource::Action::State::FINISHED)
    return;
  for (const auto* link : action.get_links()) {
    const auto found = direction_of.find(link);
    if (found != direction_of.end())
      carried[found->second] += action.get_cost();
  }
}

void write_loads()
{
  std::ofstream out(std::getenv("TOPOLOOM_LOADS"));
  out.precision(17);
  out << "time " << sg::Engine::get_clock() << '\n';
  for (std::size_t l = 0; l < cables.size(); l++)
    out << "link " << carried[2 * l] << ' ' << carried[2 * l + 1] << '\n';
  for (auto* host : hosts)
    out << "host " << sg_host_get_computed_flops(host) << '\n';
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
    if (!facts_of.empty()) {
      latency_s = 0;
      for (const auto* link : links)
        latency_s += facts_of.at(link).delay_s;
    }
    out << latency_s;
    for (const auto* link : links)
      out << ' ' << link->get_name();
    out << '\n';
  }
}

} // namespace

extern "C" void load_platform(const sg::Engine& engine);
void load_platform(const sg::Engine& engine)
{
  const Fabric f = load(std::getenv("TOPOLOOM_FABRIC"));
  // Where links are shared evenly, a link's own delay, and that of the switch behind it, is for `delayed`, and half of the
  // nominal one for each host's link.
  auto late = [&f](sg::Link* link, double own_s, double behind_s, double nominal_s) {
    if (f.fair)
      facts_of[link].delay_s = own_s + behind_s;
    return f.fair ? nominal_s : own_s;
  };
  auto late_both = [&](sg::SplitDuplexLink* link, double own_s, double up_s, double down_s, double nominal_s) {
    late(link->get_link_up(), own_s, up_s, nominal_s);
    link->set_latency(late(link->get_link_down(), own_s, down_s, nominal_s))->seal();
  };
  const bool loads = std::getenv("TOPOLOOM_LOADS") != nullptr;
  if (loads)
    sg_host_load_plugin_init();
  auto* world = sg::create_full_zone("world");
  using Up = sg::LinkInRoute::Direction;

  std::vector<std::int32_t> place(f.switches, -1);
  std::vector<sg::NetZone*> zone(f.carriers);
  std::vector<simgrid::kernel::routing::NetPoint*> gate(f.carriers);
  std::vector<std::vector<std::int32_t>> held(f.carriers);
  for (std::int32_t c = 0; c < f.carriers; c++)
    place[f.carrier[c]] = c;
  for (std::int32_t h = 0; h < f.hosts; h++)
    held[place[f.host_switch[h]]].push_back(h);

  // Where a cable is half duplex, what goes either way passes one more link, which both ways share.
  auto shared = [&](sg::NetZone* in, const std::string& name, double bytes_s) {
    auto* both = f.half_duplex ? in->create_link("both_" + name, bytes_s)->seal() : nullptr;
    if (both != nullptr)
      late(both, 0, 0, 0);
    return both;
  };
  // Else a switch is a link that delays everything that passes it, and shares nothing.
  auto passed = [&](sg::NetZone* in, std::int64_t s) {
    return f.fair ? nullptr
                  : in->create_link("switch" + std::to_string(s), 1e18)
                        ->set_latency(f.switch_latency_s)
                        ->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)
                        ->seal();
  };
  std::vector<sg::Link*> inside(f.switches);
  hosts.resize(f.hosts);
  plugs.resize(f.hosts);
  for (std::int32_t c = 0; c < f.carriers; c++) {
    auto* star = sg::create_star_zone("z" + std::to_string(f.carrier[c]));
    star->set_parent(world);
    zone[c] = star;
    auto* own = inside[f.carrier[c]] = passed(star, f.carrier[c]);
    gate[c] = star->create_router("router" + std::to_string(f.carrier[c]));
    for (const auto h : held[c]) {
      const auto name = std::to_string(h);
      auto* host = hosts[h] = star->create_host("host" + name, f.speed_flops)->set_core_count(static_cast<int>(f.cores))->seal();
      auto* plug = plugs[h] = star->create_split_duplex_link("plug" + name, f.host_bytes_s);
      late_both(plug, f.host_latency_s, f.switch_latency_s, 0, NOMINAL_S / 2);
      auto* loop = star->create_link("loop" + name, f.loop_bytes_s);
      loop->set_latency(late(loop, f.loop_latency_s, 0, NOMINAL_S))->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)->seal();
      auto* at = host->get_netpoint();
      std::vector<sg::LinkInRoute> up{{plug, Up::UP}}, down{{plug, Up::DOWN}};
      if (own != nullptr)
        up.emplace_back(own);
      if (const auto* both = shared(star, "plug" + name, f.host_bytes_s); both != nullptr) {
        up.emplace_back(both);
        down.emplace_back(both);
      }
      star->add_route(at, nullptr, nullptr, nullptr, up, false);
      star->add_route(nullptr, at, nullptr, nullptr, down, false);
      star->add_route(at, at, nullptr, nullptr, {sg::LinkInRoute(loop)}, false);
    }
    star->seal();
  }
  for (std::int64_t s = 0; s < f.switches; s++)
    if (inside[s] == nullptr)
      inside[s] = passed(world, s);
  cables.resize(f.links);
  std::vector<sg::Link*> both(f.links);
  for (std::int64_t l = 0; l < f.links; l++) {
    cables[l] = world->create_split_duplex_link("cable" + std::to_string(l), f.link_bytes_s);
    late_both(cables[l], f.latency_s[l], f.switch_latency_s, f.switch_latency_s, 0);
    both[l] = shared(world, "cable" + std::to_string(l), f.link_bytes_s);
  }
  std::vector<sg::LinkInRoute> route;
  for (std::int32_t a = 0; a < f.carriers; a++)
    for (std::int32_t b = 0; b < f.carriers; b++) {
      if (a == b)
        continue;
      route.clear();
      for (std::int32_t at = f.carrier[a]; at != f.carrier[b];) {
        const auto channel = f.next[b * f.switches + at];
        if (channel < 0)
          throw std::runtime_error("topoloom: the tables do not lead everywhere");
        const auto back = channel & 1;
        at = f.ends[(channel & ~1) + (1 - back)];
        route.emplace_back(cables[channel / 2], back ? Up::DOWN : Up::UP);
        if (both[channel / 2] != nullptr)
          route.emplace_back(both[channel / 2]);
        if (inside[at] != nullptr)
          route.emplace_back(inside[at]);
      }
      world->add_route(zone[a]->get_netpoint(), zone[b]->get_netpoint(), gate[a], gate[b], route, false);
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
    carried.assign(2 * cables.size(), 0);
    for (std::size_t l = 0; l < cables.size(); l++) {
      auto *up = cables[l]->get_link_up(), *down = cables[l]->get_link_down();
      if (f.fair) {
        facts_of[up].direction   = 2 * l;
        facts_of[down].direction = 2 * l + 1;
      } else {
        direction_of[up->get_impl()]   = 2 * l;
        direction_of[down->get_impl()] = 2 * l + 1;
      }
    }
    if (!f.fair)
      sg::Link::on_communication_state_change_cb(message_ended);
    sg::Engine::on_simulation_end_cb(write_loads);
  }
  if (std::getenv("TOPOLOOM_ROUTES") != nullptr)
    sg::Engine::on_simulation_end_cb(write_routes);
}
