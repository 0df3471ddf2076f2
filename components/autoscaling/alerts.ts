import { AWS_ACCOUNTS } from "../../names/aws";
import type { AlertRule, RuleSubject } from "../observability/rules/types";

const { namespace } = AWS_ACCOUNTS.karpenter;

/**
 * Lease of the active replica (`LEADER_ELECTION_NAME`, kubernetes-sigs/karpenter v1.14.1,
 * pkg/operator/options).
 */
const LEASE = "karpenter-leader-election";
const LEADS = `leader_election_master_status{name="${LEASE}"}`;

const leads = (pod: string) => `leader_election_master_status{name="${LEASE}",namespace="${namespace}",pod="${pod}"}`;

const down: AlertRule = {
  alert: "KarpenterDown",
  // The standby replica reports 0. Without a running or scraped pod there is no series.
  expr: `absent(${LEADS} == 1)`,
  for: "5m",
  severity: "critical",
  summary: "No Karpenter works: pods that find no room get no nodes",
  description:
    "For 5 minutes no replica of Karpenter has had its lease, or none was to be scraped. Nodes that run stay; none is made for pods that wait, idle ones are not taken away, and spot machines are not drained before they are reclaimed.",
  cases: {
    // The leader disappears and the standby does not take over.
    fires: {
      series: { [leads("karpenter-0")]: "1x10 _x20", [leads("karpenter-1")]: "0x30" },
      at: "25m",
      labels: {},
    },
    // The standby takes over within minutes.
    quiet: {
      series: { [leads("karpenter-0")]: "1x10 _x20", [leads("karpenter-1")]: "0x13 1x17" },
      at: "25m",
    },
  },
};

const ofPool = (metric: "usage" | "limit", pool: string) =>
  `karpenter_nodepools_${metric}{resource_type="cpu",nodepool="${pool}",pod="karpenter-0"}`;
const waits = 'kube_pod_status_scheduled{namespace="model-chat",pod="chat-1",condition="false"}';

const poolFull: AlertRule = {
  alert: "KarpenterPoolFull",
  // Limits are whole nodes and always include vCPUs (node-limits.ts). No metric shows which pool a
  // pod waits for.
  expr: `
    max by (nodepool) (karpenter_nodepools_usage{resource_type="cpu"} / karpenter_nodepools_limit{resource_type="cpu"}) >= 1
    and on () count(kube_pod_status_scheduled{condition="false"} == 1) > 0`,
  for: "15m",
  severity: "warning",
  summary: "Pool {{ $labels.nodepool }} has all of its nodes, and pods wait",
  description:
    "For 15 minutes Karpenter has made maxNodes of pool {{ $labels.nodepool }}, while pods of the cluster found no room. If they wait for this pool, they get no node until others leave theirs: raise maxNodes, or run fewer replicas.",
  cases: {
    fires: {
      series: {
        [ofPool("usage", "h100")]: "192x10 384x40",
        [ofPool("limit", "h100")]: "384x50",
        [ofPool("usage", "l4")]: "16x50",
        [ofPool("limit", "l4")]: "128x50",
        [waits]: "1x50",
      },
      at: "40m",
      labels: { nodepool: "h100" },
    },
    // Pods waiting for the last node to boot, and a full pool without waiting pods.
    quiet: {
      series: {
        [ofPool("usage", "h100")]: "192x10 384x40",
        [ofPool("limit", "h100")]: "384x50",
        [waits]: "1x20 0x30",
      },
      at: "40m",
    },
  },
};

const CLAIM = "operator_nodeclaim_status_condition_current_status_seconds";
const POOL = "operator_nodepool_status_condition_count";
const claim = (name: string, pool: string) =>
  `${CLAIM}{name="${name}",karpenter_sh_nodepool="${pool}",type="Registered",status="Unknown",reason="NodeNotFound"}`;

const nodesDoNotCome: AlertRule = {
  alert: "KarpenterNodesDoNotCome",
  // Karpenter gives up a machine after 15 minutes and drops its series; the NodePool keeps the
  // condition until a node registers (v1.14.1, nodeclaim/lifecycle/liveness.go).
  expr: `
    max by (nodepool) (
      label_replace(${CLAIM}{type="Registered",status!="True"} > 720, "nodepool", "$1", "karpenter_sh_nodepool", "(.+)")
      or
      label_replace(${POOL}{type="NodeRegistrationHealthy",status="False"} == 1, "nodepool", "$1", "name", "(.+)")
    ) > 0`,
  for: "1m",
  severity: "warning",
  summary: "Machines of pool {{ $labels.nodepool }} do not become nodes",
  description:
    "A machine that Karpenter made for pool {{ $labels.nodepool }} has not joined the cluster for 12 minutes, or the last ones could not be made or did not join. After 15 minutes Karpenter ends such a machine and makes another one, which is paid for in vain while the cause stays.",
  cases: {
    fires: {
      series: { [claim("h100-x7k2p", "h100")]: "0+60x14 _x30" },
      at: "14m",
      labels: { nodepool: "h100" },
    },
    // A multi-GPU machine that boots in ten minutes.
    quiet: {
      series: {
        [claim("h100-x7k2p", "h100")]: "0+60x10 _x30",
        [`${POOL}{name="h100",type="NodeRegistrationHealthy",status="True",reason="NodeRegistrationHealthy"}`]: "1x40",
      },
      at: "14m",
    },
  },
};

const drifted = (name: string, pool: string) =>
  `${CLAIM}{name="${name}",karpenter_sh_nodepool="${pool}",type="Drifted",status="True",reason="AMIDrift"}`;

const nodesAreOld: AlertRule = {
  alert: "KarpenterNodesAreOld",
  expr: `
    max by (nodepool) (
      label_replace(${CLAIM}{type="Drifted",status="True"}, "nodepool", "$1", "karpenter_sh_nodepool", "(.+)")
    ) > 3 * 86400`,
  for: "1h",
  severity: "warning",
  summary: "Nodes of pool {{ $labels.nodepool }} have been due for replacement for three days",
  description:
    "A node of pool {{ $labels.nodepool }} boots otherwise than its pool says now, by image, Kubernetes version or settings, and Karpenter has not replaced it for three days. It lacks the security fixes of the newer image.",
  cases: {
    fires: {
      series: { [drifted("h100-x7k2p", "h100")]: "259000+60x90" },
      at: "80m",
      labels: { nodepool: "h100" },
    },
    // Sequential replacement, an hour per node for the model to start.
    quiet: { series: { [drifted("h100-x7k2p", "h100")]: "0+60x90" }, at: "80m" },
  },
};

const TOLD = "karpenter_interruption_received_messages_total";
const told = (kind: string) => `${TOLD}{message_type="${kind}",pod="karpenter-0"}`;

const machinesTaken: AlertRule = {
  alert: "KarpenterMachinesTaken",
  // EC2 interruption messages, including state changes of machines that Karpenter ends.
  expr: `
    sum by (message_type) (
      increase(${TOLD}{message_type=~"spot_interrupted|capacity_reservation_interrupted|scheduled_change"}[1h])
    ) > 2`,
  for: "1m",
  severity: "info",
  summary:
    "EC2 announced {{ $value | humanize }} times in an hour that it takes machines away ({{ $labels.message_type }})",
  description:
    "Karpenter received {{ $value | humanize }} messages of {{ $labels.message_type }}. It drains such nodes and makes others; models on them were started anew. Many of them in an hour say that this machine is rare as spot in these zones now.",
  cases: {
    fires: {
      series: { [told("spot_interrupted")]: "0x20 1x10 4x60", [told("no_op")]: "0+3x90" },
      at: "50m",
      labels: { message_type: "spot_interrupted" },
    },
    // Occasional spot interruptions and terminations by Karpenter are normal.
    quiet: {
      series: { [told("spot_interrupted")]: "0x20 1x70", [told("instance_terminated")]: "0+1x90" },
      at: "50m",
    },
  },
};

/** Alerts for platforms with Karpenter; elsewhere its absence would fire one. */
export const karpenterAlerts: RuleSubject = {
  subject: "karpenter",
  recording: [],
  alerts: [down, poolFull, nodesDoNotCome, nodesAreOld, machinesTaken],
};
