// A SimGrid platform from a file that topoloom wrote: one star zone a switch that carries hosts, and a route between any two
// of them along topoloom's tables, hop by hop. Compiled once; which network it is, the environment says:
//   TOPOLOOM_FABRIC  the network (platform.py describes the file)
//   TOPOLOOM_LOADS   where to write, at the end, the bytes that each direction of each link has carried, and the
//                    operations that each host has computed (optional)
//   TOPOLOOM_ROUTES  pairs of hosts, a line each; their routes are written beside it, to the same name with ".out" (optional)
#include <simgrid/kernel/resource/Action.hpp>
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
  std::int64_t switches, links, hosts, carriers, cores;
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
  std::int64_t counts[5];
  double rates[7];
  read(in, counts, 5);
  read(in, rates, 7);
  f.switches = counts[0], f.links = counts[1], f.hosts = counts[2], f.carriers = counts[3], f.cores = counts[4];
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

// The bytes that each direction has carried, by SimGrid's own link: twice the cable, and one more against its order.
std::unordered_map<const void*, std::size_t> direction_of;
std::vector<double> carried;

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
  for (std::size_t l = 0; l < cables.size(); l++)
    out << "link " << carried[2 * l] << ' ' << carried[2 * l + 1] << '\n';
  for (auto* host : hosts)
    out << "host " << sg_host_get_computed_flops(host) << '\n';
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

  // A switch delays everything that passes it, and shares nothing.
  auto passed = [&f](sg::NetZone* in, std::int64_t s) {
    return in->create_link("switch" + std::to_string(s), 1e18)
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
      plug->set_latency(f.host_latency_s)->seal();
      const auto* loop = star->create_link("loop" + name, f.loop_bytes_s)
                             ->set_latency(f.loop_latency_s)
                             ->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)
                             ->seal();
      auto* at = host->get_netpoint();
      star->add_route(at, nullptr, nullptr, nullptr, {{plug, Up::UP}, sg::LinkInRoute(own)}, false);
      star->add_route(nullptr, at, nullptr, nullptr, {{plug, Up::DOWN}}, false);
      star->add_route(at, at, nullptr, nullptr, {sg::LinkInRoute(loop)}, false);
    }
    star->seal();
  }
  for (std::int64_t s = 0; s < f.switches; s++)
    if (inside[s] == nullptr)
      inside[s] = passed(world, s);
  cables.resize(f.links);
  for (std::int64_t l = 0; l < f.links; l++) {
    cables[l] = world->create_split_duplex_link("cable" + std::to_string(l), f.link_bytes_s);
    cables[l]->set_latency(f.latency_s[l])->seal();
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
        route.emplace_back(inside[at]);
      }
      world->add_route(zone[a]->get_netpoint(), zone[b]->get_netpoint(), gate[a], gate[b], route, false);
    }
  world->seal();

  if (loads) {
    carried.assign(2 * cables.size(), 0);
    for (std::size_t l = 0; l < cables.size(); l++) {
      direction_of[cables[l]->get_link_up()->get_impl()] = 2 * l;
      direction_of[cables[l]->get_link_down()->get_impl()] = 2 * l + 1;
    }
    sg::Link::on_communication_state_change_cb(message_ended);
    sg::Engine::on_simulation_end_cb(write_loads);
  }
  if (std::getenv("TOPOLOOM_ROUTES") != nullptr)
    sg::Engine::on_simulation_end_cb(write_routes);
}
