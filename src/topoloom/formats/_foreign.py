"""Files that people take for a network and that are none, or that other commands read: what they are, and where to go."""

import re

_BYTES = 1 << 16
_BLANK = rb"(?:\xef\xbb\xbf)?(?:\s|[#;][^\n]*\n|//[^\n]*\n|<\?[^>]*\?>|<!--.*?-->)*+"


def _begins(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(_BLANK + pattern, re.DOTALL | re.IGNORECASE)


def _has_line(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"^[ \t]*" + pattern, re.MULTILINE)


#: What the content begins with.
_BEGINNINGS = (
    (re.compile(rb"#![^\n]*\bsh\b"), "a shell script, not a network"),
    (
        _begins(rb"(?:\d+ ){5}[A-Z]\w*\s*\n"),
        "SimAI's network, with NVSwitches inside servers; give the network of the servers",
    ),
    (
        _begins(rb"\{\s*\"network\"\s*:\s*\{\s*\"topology\""),
        "a configuration of SuperSim, which computes the cables itself; give its spec, such as torus:dims=4x4",
    ),
    (
        _begins(rb"\{\s*\"graph\"\s*:\s*\{\s*\"nodes\""),
        "a graph of resources (JGF), as Flux reads it, without cables; topoloom export flux writes it",
    ),
    (
        _begins(rb"0x[0-9a-f]{16} 0x[0-9a-f]{4} 0x[0-9a-f]{4}\s"),
        "OpenSM's file of LIDs (guid2lid), without cables; give the output of ibnetdiscover",
    ),
    (_begins(rb"LPGROUPS\s*\{"), "a configuration of CODES; give the spec of its network"),
    (
        _begins(rb"(?:switches|blocks):\s*\n(?:- |[ \t]+\"?[\w.-]+\"?:)"),
        "a model of NVIDIA Topograph, without cables between ports; topoloom export topograph writes it",
    ),
    (re.compile(rb"PK\x03\x04"), "a zip archive; unpack it"),
    (
        re.compile(rb"\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x0a\x0d\x0d\x0a"),
        "a capture of packets; give what LLDP agents print",
    ),
    (re.compile(rb"%PDF-|\x89PNG|\xff\xd8\xff|GIF8"), "a picture or a document, not a network"),
    (re.compile(rb"\x7fELF|MZ.\x00", re.DOTALL), "a compiled program, not a network"),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "text in UTF-16; save it in UTF-8"),
    (
        re.compile(rb"[\x00-\x7f]\n[\x00-\x1f]\d+\.\d+"),
        "a Chakra trace, not a network; topoloom app NETWORK --app chakra:file=FOLDER/NAME runs it",
    ),
    (_begins(rb"num_ranks\s+\d"), "a GOAL schedule, not a network; topoloom app NETWORK --app goal:file=FILE runs it"),
    (
        _begins(rb"Nodes[ \t]+\d+\s*\n\s*Connections[ \t]+\d"),
        "a traffic matrix of htsim, without a network; its .topo is read",
    ),
    (_begins(rb"(?:network|module)\s+\w[^\n{]*\{"), "NED of OMNeT++, which is not read; give its cables in CSV"),
    (_begins(rb"LEDA\.GRAPH"), "LEDA's format; convert it to GraphML, for example with NetworkX or igraph"),
    (_begins(rb"Settings for [\w.@-]+:"), "what ethtool prints about a port; give what LLDP agents print"),
    (_begins(rb"<svg\b"), "a picture or a document, not a network"),
    (_begins(rb"<system\b"), "NCCL's topology of one server, without the network between servers"),
    (_begins(rb"(?:<!DOCTYPE topology[^>]*>\s*)?<topology\b"), "hwloc's topology of one machine, without a network"),
    (_begins(rb"<algo\b"), "a schedule for MSCCL, not a network; topoloom collective NETWORK --schedule FILE runs it"),
    (_begins(rb"<gexf\b"), "GEXF of Gephi; export GraphML from Gephi"),
    (_begins(rb"<(?:!DOCTYPE )?html[\s>]"), "a web page; save the file itself"),
    (_begins(rb"graph\s*\["), "GML; convert it to GraphML, for example with NetworkX or igraph"),
    (
        _begins(rb"\*(?:vertices|network)\b"),
        "Pajek's format; convert it to GraphML, for example with NetworkX or igraph",
    ),
    (
        _begins(rb"<(?![!/?])(?!(?:[\w.-]+:)?graphml\b)[\w.:-]+"),
        "XML of another kind; GraphML, minigraph.xml and LLDP of Junos are read",
    ),
    (_begins(rb"flowchart\b|graph\s+(?:TB|TD|BT|RL|LR)\b"), "a diagram of Mermaid, without ports; give its plan"),
)
#: A line that the content has.
_LINES = (
    (re.compile(rb'"threadblocks"\s*:'), "a plan of MSCCL++, not a network, and not read; MSCCL's XML is"),
    (
        _has_line(rb"SwitchName="),
        "Slurm's topology.conf: groups of nodes, without cables; topoloom export slurm writes it",
    ),
    (_has_line(rb"class \w+\(SimpleTopology\)"), "a topology class of gem5's Garnet; give the spec of its network"),
    (
        _has_line(rb"(?:-[ \t]+)?topology:[ \t]*\S+[ \t]*\n(?:[^\n]*\n){0,3}?[ \t]*(?:tree|block|flat|ring|torus3d):"),
        "Slurm's topology.yaml: groups of nodes, without cables; topoloom export slurm writes it",
    ),
    (
        _has_line(rb"(?:create resource|set node)\s+\S+[^\n]*(?:type\s*=|resources_available)"),
        "commands for PBS, without cables",
    ),
    (re.compile(rb'"logical-dims"\s*:'), "ASTRA-sim's network by dimensions, without cables"),
    (re.compile(rb'"ctrl_deps"\s*:'), "a Chakra trace as JSON, not a network; topoloom app reads traces in files .et"),
    (
        _has_line(rb"p[ \t]+(?:edge|col|sp|max|min|cnf)[ \t]+\d+[ \t]+\d"),
        "DIMACS; convert it to GraphML, for example with NetworkX or igraph",
    ),
    (
        _has_line(rb"(?:Device ID|System Name)[ \t]+Local Int|(?:Local Intf|Chassis id|Port id):[ \t]*\S"),
        "what a switch prints for people about its LLDP neighbours, with names cut short; give its JSON (show"
        " lldp neighbors detail | json)",
    ),
    (
        _has_line(rb"(?:SysName:[ \t]|lldp\.[\w.-]+\.chassis\.\w+=)"),
        "what lldpcli prints for people; give its JSON: lldpcli -f json show neighbors details",
    ),
    (_has_line(rb"CA '[^'\n]+'[ \t]*$"), "what ibstat prints about a host's adapters; ibnetdiscover prints the fabric"),
    (
        _has_line(rb"(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] \S"),
        "what lspci prints about a machine, without cables; give what LLDP agents or ibnetdiscover print",
    ),
    (
        _has_line(rb"\d+: [\w.@-]+: <[A-Z,_0-9-]*> mtu \d"),
        "what ip link prints about a machine, without cables; give what LLDP agents print",
    ),
    (_has_line(rb"Handle 0x[0-9A-F]{4}, DMI type"), "what dmidecode prints about a machine, without cables"),
    (_has_line(rb"kind:\s*(?:Topology|HyperNode)\b"), "a topology for a scheduler of Kubernetes, without cables"),
    (
        _has_line(rb"topology:\s*\[\s*(?:Ring|FullyConnected|Switch)\b"),
        "ASTRA-sim's network by dimensions, without cables",
    ),
    (
        _has_line(rb"[\w,; ]*termination_a_id\b[\w,; ]*\btermination_b_id\b"),
        "a table of NetBox with ids in place of names; give /api/dcim/cables/, or a table with names of devices and ports",
    ),
    (_has_line(rb"topology\s*=\s*\w+\s*;"), "a configuration of BookSim; give a spec, or its anynet file"),
    # TOML of topoloom's own; a table of the first kinds belongs to no later one.
    (_has_line(rb"\[\[?(?:axes|task|together)[].]"), "a study; topoloom study runs it"),
    (_has_line(rb"\[\[?(?:grid|slot|pillar|tray)\]"), "a floor; topoloom layout NETWORK --floor FILE takes it"),
    (
        _has_line(rb"\[\[(?:cable|transceiver|nic|server|switch\.product)\]"),
        "a file of parts or prices; topoloom cost NETWORK takes it with --parts or --prices",
    ),
    (
        _has_line(rb"(?:\[(?:switch|families|requirement)|\[\[(?:host|network|phase))\]"),
        "a requirement; topoloom design reads it",
    ),
    (_has_line(rb"\[(?:host|rack)\]"), "a file of hosts and racks; topoloom layout NETWORK --server FILE takes it"),
)


def foreign_content(data: bytes) -> str:
    """What a file is that is no network in any format, with the way to go; empty if it is nothing known.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    str
    """
    start = data[:_BYTES]
    beginning = next((what for mark, what in _BEGINNINGS if mark.match(start)), "")
    return beginning or next((what for mark, what in _LINES if mark.search(start)), "")
