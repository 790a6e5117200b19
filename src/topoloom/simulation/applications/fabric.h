// The network for platform.cpp, in the format that platform.py describes and writes.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

struct Fabric {
  std::int64_t switches, links, hosts, carriers, tables, cores, half_duplex, fair, ports;
  double speed_flops, host_latency_s, switch_latency_s, loop_bytes_s, loop_latency_s;
  // host_switch: the switch of each port, host by host.
  std::vector<std::int32_t> ends, host_switch, carrier, next;
  // Of each link: its delay and its bytes per second; of each port: its bytes per second.
  std::vector<double> latency_s, link_bytes_s, host_bytes_s;
};

// Additional tables, for messages between addresses.
struct Layers {
  std::int64_t count = 0;
  std::vector<std::int32_t> next;
};

template <class T> inline void read(std::ifstream& in, T* values, std::size_t count)
{
  in.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
  if (!in)
    throw std::runtime_error("topoloom: the file of the network is truncated");
}

template <class T> inline void read(std::ifstream& in, std::vector<T>& values, std::size_t count)
{
  values.resize(count);
  read(in, values.data(), count);
}

inline Fabric load(const char* path)
{
  std::ifstream in(path, std::ios::binary);
  char magic[8];
  read(in, magic, 8);
  if (std::memcmp(magic, "TLFABRIC", 8) != 0)
    throw std::runtime_error("topoloom: TOPOLOOM_FABRIC names no network");
  Fabric f;
  std::int64_t counts[9];
  double rates[5];
  read(in, counts, 9);
  read(in, rates, 5);
  f.switches = counts[0], f.links = counts[1], f.hosts = counts[2], f.carriers = counts[3], f.tables = counts[4];
  f.cores = counts[5], f.half_duplex = counts[6], f.fair = counts[7], f.ports = counts[8];
  f.speed_flops = rates[0], f.host_latency_s = rates[1], f.switch_latency_s = rates[2];
  f.loop_bytes_s = rates[3], f.loop_latency_s = rates[4];
  read(in, f.ends, 2 * f.links);
  read(in, f.latency_s, f.links);
  read(in, f.link_bytes_s, f.links);
  read(in, f.host_switch, f.hosts * f.ports);
  read(in, f.host_bytes_s, f.hosts * f.ports);
  read(in, f.carrier, f.carriers);
  read(in, f.next, f.tables * f.carriers * f.switches);
  return f;
}

inline Layers load_layers(const char* path, const Fabric& f)
{
  std::ifstream in(path, std::ios::binary);
  char magic[8];
  read(in, magic, 8);
  if (std::memcmp(magic, "TLLAYERS", 8) != 0)
    throw std::runtime_error("topoloom: TOPOLOOM_LAYERS names no tables");
  Layers found;
  read(in, &found.count, 1);
  read(in, found.next, found.count * f.carriers * f.switches);
  return found;
}
