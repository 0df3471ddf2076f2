import type { AlertRule, RuleSubject } from "./types";

/** Series of components/node/scripts/registration.ts; the monitor adds `group` (`nodeTargets`). */
const WANTED = "inference_node_registration_wanted";
const REGISTERED = "inference_node_registered";

const OF_CHAT = { namespace: "model-chat", model: "chat", group: "cluster", pod: "chat-0" };
const chatNode = (pod: string): string => `{namespace="model-chat",model="chat",group="cluster",pod="${pod}"}`;

const notRegistered: AlertRule = {
  alert: "InferenceNodeNotRegistered",
  // Unhealthy and draining nodes do not want registration.
  expr: `max by (namespace, model, group, pod) (${WANTED} - ${REGISTERED}) > 0`,
  for: "10m",
  severity: "warning",
  summary: "Node {{ $labels.pod }} of group {{ $labels.group }} is healthy, but not registered",
  description:
    "The registrar of {{ $labels.group }} has lacked node {{ $labels.pod }}, which serves {{ $labels.model }}, for 10 minutes. Clients of the registrar do not find it; requests through the gateway are not affected. inference_node_registration_failures_total counts the failures by kind.",
  cases: {
    fires: {
      series: {
        [`${WANTED}${chatNode("chat-0")}`]: "1x40",
        [`${REGISTERED}${chatNode("chat-0")}`]: "1x5 0x35",
        [`${WANTED}${chatNode("chat-1")}`]: "1x40",
        [`${REGISTERED}${chatNode("chat-1")}`]: "1x40",
      },
      at: "20m",
      labels: OF_CHAT,
    },
    // One comes back in between; one is unhealthy.
    quiet: {
      series: {
        [`${WANTED}${chatNode("chat-0")}`]: "1x40",
        [`${REGISTERED}${chatNode("chat-0")}`]: "0x8 1x1 0x8 1x1 0x20",
        [`${WANTED}${chatNode("chat-1")}`]: "0x40",
        [`${REGISTERED}${chatNode("chat-1")}`]: "0x40",
      },
      at: "20m",
    },
  },
};

export const registrations: RuleSubject = { subject: "registrations", recording: [], alerts: [notRegistered] };
