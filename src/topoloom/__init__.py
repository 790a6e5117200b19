"""topoloom: design the networks of supercomputers and data centres, from a requirement to cables and routes."""

from topoloom._version import __version__ as __version__

#: As `typing` has it, which takes ten milliseconds to import: Ctrl-C within them would be a traceback.
TYPE_CHECKING = False

#: Where each public name lives; a name is imported when it is first used, so that `import topoloom` is quick.
_HOMES = {
    "AppRun": "topoloom.applications.app_run",
    "AppRuns": "topoloom.applications.app_runs",
    "AppSettings": "topoloom.applications.settings",
    "Assessment": "topoloom.assessment.assessment",
    "Assessments": "topoloom.assessment.assessment",
    "Bill": "topoloom.cost.bill",
    "Bills": "topoloom.cost.bill",
    "BalancedPairs": "topoloom.graph.grid_bounds",
    "BlastRadius": "topoloom.failures.blast_radius",
    "Bounds": "topoloom.graph.bounds",
    "Cabling": "topoloom.cabling.cabling",
    "CheckedPlan": "topoloom.expansion.check",
    "Collective": "topoloom.applications.collective_result",
    "CollectiveBound": "topoloom.collectives.bound",
    "CollectiveSchedule": "topoloom.collectives.schedule",
    "Comparison": "topoloom.fabrics.comparison",
    "Cuts": "topoloom.graph.cuts",
    "Degradation": "topoloom.failures.degradation",
    "Delays": "topoloom.graph.latency",
    "Design": "topoloom.designer.design",
    "Diagnostics": "topoloom.fabrics.diagnosis.diagnostics",
    "EXPORTS": "topoloom.fabrics.exports.registry",
    "ExportSettings": "topoloom.fabrics.exports.settings",
    "Execution": "topoloom.simulator.execute",
    "Expansion": "topoloom.expansion.expansion",
    "FAMILIES": "topoloom.spec.registry",
    "FORMATS": "topoloom.formats",
    "Fabric": "topoloom.fabrics.fabric",
    "Floor": "topoloom.floors.floor",
    "Geometry": "topoloom.graph.geometry",
    "Goal": "topoloom.optimizer.goals",
    "Hops": "topoloom.graph.hops",
    "Info": "topoloom.overview",
    "InputError": "topoloom.errors",
    "Judgement": "topoloom.fabrics.judge",
    "Mending": "topoloom.fabrics.mended",
    "Progress": "topoloom.fabrics.progress",
    "Layout": "topoloom.layout.layout",
    "Lifetime": "topoloom.failures.lifetime",
    "LoadCurve": "topoloom.simulator.load_curve",
    "Need": "topoloom.designer.need",
    "Network": "topoloom.network",
    "Optimized": "topoloom.optimizer.result",
    "PATTERNS": "topoloom.traffic.register",
    "Parts": "topoloom.cost.parts",
    "PathDiversity": "topoloom.graph.path_diversity",
    "Quality": "topoloom.throughput.result",
    "RULES": "topoloom.fabrics.diagnosis.rule",
    "Replay": "topoloom.workloads.chakra",
    "Reproduction": "topoloom.reproduction.reproduce",
    "Rerouted": "topoloom.routing.reroute",
    "RouterConfig": "topoloom.simulator.router_config",
    "Routing": "topoloom.routing.routing",
    "Schedule": "topoloom.flows.schedule",
    "Store": "topoloom.studies.store",
    "Study": "topoloom.studies.study",
    "StudyResults": "topoloom.studies.results",
    "StudyStatus": "topoloom.studies.status",
    "Survival": "topoloom.failures.survival",
    "Degradations": "topoloom.failures.degradation",
    "Survivals": "topoloom.failures.survival",
    "TRANSFORMS": "topoloom.spec.registry",
    "Task": "topoloom.studies.task",
    "Topology": "topoloom.topology",
    "Traffic": "topoloom.traffic.traffic",
    "Verdict": "topoloom.routing.judge.verdict",
    "WrittenFile": "topoloom.formats.written",
    "WrittenFiles": "topoloom.fabrics.exports.written",
    "balance_paths": "topoloom.routing.balance.balance",
    "balance_routing": "topoloom.routing.balance.balance",
    "balanced_pairs": "topoloom.graph.grid_bounds",
    "blast_radius": "topoloom.failures.blast_radius",
    "bounds": "topoloom.graph.bounds",
    "build": "topoloom.spec",
    "cable": "topoloom.cabling.cabling",
    "cases_of": "topoloom.applications.sweep",
    "check_plan": "topoloom.expansion.check",
    "collective": "topoloom.applications.collective_run",
    "collective_bound": "topoloom.applications.collective_run",
    "compare": "topoloom.assessment.compare",
    "compare_fabrics": "topoloom.fabrics.compare",
    "cuts": "topoloom.graph.cuts",
    "degradation": "topoloom.failures.degradation",
    "design": "topoloom.designer.design",
    "diagnose": "topoloom.fabrics.diagnosis.diagnose",
    "execute": "topoloom.simulator.execute",
    "expand": "topoloom.expansion.expand",
    "hops": "topoloom.graph.hops",
    "host_routings": "topoloom.routing.host_routings",
    "identify": "topoloom.fabrics.identify",
    "info": "topoloom.overview",
    "lifetime": "topoloom.failures.lifetime",
    "load": "topoloom.formats",
    "load_chakra": "topoloom.workloads.chakra",
    "load_expansion": "topoloom.expansion.plan_reader",
    "layered_routing": "topoloom.routing.layered",
    "load_goal": "topoloom.workloads.goal",
    "load_layout": "topoloom.cabling.files",
    "open_network": "topoloom.opening",
    "optimize": "topoloom.optimizer.optimize",
    "path_diversity": "topoloom.graph.path_diversity",
    "place": "topoloom.layout.place",
    "price": "topoloom.cost.bill",
    "product_routing": "topoloom.routing.product",
    "prove": "topoloom.routing.judge.prove",
    "program_from": "topoloom.applications.users_programs",
    "quality": "topoloom.throughput.quality",
    "read_schedule": "topoloom.collectives.schedule",
    "read_study": "topoloom.studies.study",
    "reproduce": "topoloom.reproduction.reproduce",
    "reroute": "topoloom.routing.reroute",
    "resilience": "topoloom.failures.resilience",
    "route": "topoloom.routing.route",
    "run_app": "topoloom.applications.run",
    "run_apps": "topoloom.applications.sweep",
    "losses": "topoloom.network_losses",
    "mend_fabric": "topoloom.fabrics.mending",
    "progress": "topoloom.fabrics.progress",
    "open_study": "topoloom.studies.run",
    "run_study": "topoloom.studies.run",
    "run_task": "topoloom.studies.task",
    "saturation": "topoloom.simulator.saturation",
    "save": "topoloom.formats",
    "save_cabling": "topoloom.cabling.files",
    "save_expansion": "topoloom.expansion.plan_files",
    "save_goal": "topoloom.workloads.goal",
    "save_routing": "topoloom.routing_folders",
    "schedule_of_program": "topoloom.applications.schedules",
    "serve": "topoloom.web.server",
    "simulate_schedule": "topoloom.applications.collective_run",
    "simulate": "topoloom.simulator.simulate",
    "study_status": "topoloom.studies.status",
    "surviving_network": "topoloom.failures.surviving_network",
    "task_of": "topoloom.studies.task",
    "trace_from": "topoloom.applications.users_programs",
    "traffic_of": "topoloom.traffic.register",
    "write_export": "topoloom.fabrics.exports.registry",
}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from topoloom.applications.app_run import AppRun as AppRun
    from topoloom.applications.app_runs import AppRuns as AppRuns
    from topoloom.applications.collective_result import Collective as Collective
    from topoloom.applications.collective_run import collective as collective
    from topoloom.applications.collective_run import collective_bound as collective_bound
    from topoloom.applications.collective_run import simulate_schedule as simulate_schedule
    from topoloom.applications.run import run_app as run_app
    from topoloom.applications.schedules import schedule_of_program as schedule_of_program
    from topoloom.applications.settings import AppSettings as AppSettings
    from topoloom.applications.sweep import cases_of as cases_of
    from topoloom.applications.sweep import run_apps as run_apps
    from topoloom.applications.users_programs import program_from as program_from
    from topoloom.applications.users_programs import trace_from as trace_from
    from topoloom.assessment.assessment import Assessment as Assessment
    from topoloom.assessment.assessment import Assessments as Assessments
    from topoloom.assessment.compare import compare as compare
    from topoloom.cabling.cabling import Cabling as Cabling
    from topoloom.cabling.cabling import cable as cable
    from topoloom.cabling.files import load_layout as load_layout
    from topoloom.cabling.files import save_cabling as save_cabling
    from topoloom.collectives.bound import CollectiveBound as CollectiveBound
    from topoloom.collectives.schedule import CollectiveSchedule as CollectiveSchedule
    from topoloom.collectives.schedule import read_schedule as read_schedule
    from topoloom.cost.bill import Bill as Bill
    from topoloom.cost.bill import Bills as Bills
    from topoloom.cost.bill import price as price
    from topoloom.cost.parts import Parts as Parts
    from topoloom.designer.design import Design as Design
    from topoloom.designer.design import design as design
    from topoloom.designer.need import Need as Need
    from topoloom.errors import InputError as InputError
    from topoloom.expansion.check import CheckedPlan as CheckedPlan
    from topoloom.expansion.check import check_plan as check_plan
    from topoloom.expansion.expand import expand as expand
    from topoloom.expansion.expansion import Expansion as Expansion
    from topoloom.expansion.plan_files import save_expansion as save_expansion
    from topoloom.expansion.plan_reader import load_expansion as load_expansion
    from topoloom.fabrics.compare import compare_fabrics as compare_fabrics
    from topoloom.fabrics.comparison import Comparison as Comparison
    from topoloom.fabrics.diagnosis.diagnose import diagnose as diagnose
    from topoloom.fabrics.diagnosis.diagnostics import Diagnostics as Diagnostics
    from topoloom.fabrics.diagnosis.rule import RULES as RULES
    from topoloom.fabrics.exports.registry import EXPORTS as EXPORTS
    from topoloom.fabrics.exports.registry import write_export as write_export
    from topoloom.fabrics.exports.settings import ExportSettings as ExportSettings
    from topoloom.fabrics.exports.written import WrittenFiles as WrittenFiles
    from topoloom.fabrics.fabric import Fabric as Fabric
    from topoloom.fabrics.identify import identify as identify
    from topoloom.fabrics.judge import Judgement as Judgement
    from topoloom.fabrics.mended import Mending as Mending
    from topoloom.fabrics.mending import mend_fabric as mend_fabric
    from topoloom.fabrics.progress import Progress as Progress
    from topoloom.fabrics.progress import progress as progress
    from topoloom.failures.blast_radius import BlastRadius as BlastRadius
    from topoloom.failures.blast_radius import blast_radius as blast_radius
    from topoloom.failures.degradation import Degradation as Degradation
    from topoloom.failures.degradation import Degradations as Degradations
    from topoloom.failures.degradation import degradation as degradation
    from topoloom.failures.lifetime import Lifetime as Lifetime
    from topoloom.failures.lifetime import lifetime as lifetime
    from topoloom.failures.resilience import resilience as resilience
    from topoloom.failures.survival import Survival as Survival
    from topoloom.failures.survival import Survivals as Survivals
    from topoloom.failures.surviving_network import surviving_network as surviving_network
    from topoloom.floors.floor import Floor as Floor
    from topoloom.flows.schedule import Schedule as Schedule
    from topoloom.formats import FORMATS as FORMATS
    from topoloom.formats import load as load
    from topoloom.formats import save as save
    from topoloom.formats.written import WrittenFile as WrittenFile
    from topoloom.graph.bounds import Bounds as Bounds
    from topoloom.graph.bounds import bounds as bounds
    from topoloom.graph.cuts import Cuts as Cuts
    from topoloom.graph.cuts import cuts as cuts
    from topoloom.graph.geometry import Geometry as Geometry
    from topoloom.graph.grid_bounds import BalancedPairs as BalancedPairs
    from topoloom.graph.grid_bounds import balanced_pairs as balanced_pairs
    from topoloom.graph.hops import Hops as Hops
    from topoloom.graph.hops import hops as hops
    from topoloom.graph.latency import Delays as Delays
    from topoloom.graph.path_diversity import PathDiversity as PathDiversity
    from topoloom.graph.path_diversity import path_diversity as path_diversity
    from topoloom.layout.layout import Layout as Layout
    from topoloom.layout.place import place as place
    from topoloom.network import Network as Network
    from topoloom.network_losses import losses as losses
    from topoloom.opening import open_network as open_network
    from topoloom.optimizer.goals import Goal as Goal
    from topoloom.optimizer.optimize import optimize as optimize
    from topoloom.optimizer.result import Optimized as Optimized
    from topoloom.overview import Info as Info
    from topoloom.overview import info as info
    from topoloom.reproduction.reproduce import Reproduction as Reproduction
    from topoloom.reproduction.reproduce import reproduce as reproduce
    from topoloom.routing.balance.balance import balance_paths as balance_paths
    from topoloom.routing.balance.balance import balance_routing as balance_routing
    from topoloom.routing.host_routings import host_routings as host_routings
    from topoloom.routing.judge.prove import prove as prove
    from topoloom.routing.judge.verdict import Verdict as Verdict
    from topoloom.routing.layered import layered_routing as layered_routing
    from topoloom.routing.product import product_routing as product_routing
    from topoloom.routing.reroute import Rerouted as Rerouted
    from topoloom.routing.reroute import reroute as reroute
    from topoloom.routing.route import route as route
    from topoloom.routing.routing import Routing as Routing
    from topoloom.routing_folders import save_routing as save_routing
    from topoloom.simulator.execute import Execution as Execution
    from topoloom.simulator.execute import execute as execute
    from topoloom.simulator.load_curve import LoadCurve as LoadCurve
    from topoloom.simulator.router_config import RouterConfig as RouterConfig
    from topoloom.simulator.saturation import saturation as saturation
    from topoloom.simulator.simulate import simulate as simulate
    from topoloom.spec import build as build
    from topoloom.spec.registry import FAMILIES as FAMILIES
    from topoloom.spec.registry import TRANSFORMS as TRANSFORMS
    from topoloom.studies.results import StudyResults as StudyResults
    from topoloom.studies.run import open_study as open_study
    from topoloom.studies.run import run_study as run_study
    from topoloom.studies.status import StudyStatus as StudyStatus
    from topoloom.studies.status import study_status as study_status
    from topoloom.studies.store import Store as Store
    from topoloom.studies.study import Study as Study
    from topoloom.studies.study import read_study as read_study
    from topoloom.studies.task import Task as Task
    from topoloom.studies.task import run_task as run_task
    from topoloom.studies.task import task_of as task_of
    from topoloom.throughput.quality import quality as quality
    from topoloom.throughput.result import Quality as Quality
    from topoloom.topology import Topology as Topology
    from topoloom.traffic.register import PATTERNS as PATTERNS
    from topoloom.traffic.register import traffic_of as traffic_of
    from topoloom.traffic.traffic import Traffic as Traffic
    from topoloom.web.server import serve as serve
    from topoloom.workloads.chakra import Replay as Replay
    from topoloom.workloads.chakra import load_chakra as load_chakra
    from topoloom.workloads.goal import load_goal as load_goal
    from topoloom.workloads.goal import save_goal as save_goal


if not TYPE_CHECKING:  # type checkers see the imports above, and so find a misspelt name

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in _HOMES:
            raise AttributeError(f"module 'topoloom' has no attribute '{name}'")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
