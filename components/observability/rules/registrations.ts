import type { AlertRule, RuleSubject } from "./types";

/** Series of what registers a node (components/node/scripts/registration.ts). Their `group` is of the monitor (`nodeTargets`). */
const WANTED = "inference_node_registration_wanted";
const REGISTERED = "inference_node_registered";

const OF_CHAT = { namespace: "model-chat", model: "chat", group: "cluster", pod: "chat-0" };
const chatNode = (pod: string): string => `{namespace="model-chat",model="chat",group="cluster",pod="${pod}"}`;

const notRegistered: AlertRule = {
  alert: "InferenceNodeNotRegistered",
  // A node that is not well, or drains, is not registered on purpose: it does not want to be.
  expr: `max by (namespace, model, group, pod) (${WANTED} - ${REGISTERED}) > 0`,
  for: "10m",
  severity: "warning",
  summary: "Node {{ $labels.pod }} of group {{ $labels.group }} is well, but not registered",
  description:
    "For 10 minutes the registrar of {{ $labels.group }} has not had node {{ $labels.pod }}, which serves {{ $labels.model }}: who finds nodes by the registrar does not find it. Requests through the gateway are not touched. inference_node_registration_failures_total says by kind what went wrong.",
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
    // One that comes back in between, and one that is not well.
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
