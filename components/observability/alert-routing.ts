import { Document, Scalar, visit } from "yaml";
import type { HelmValues } from "../core/chart-release";
import {
  type AlertReceivers,
  type AlertSecretKey,
  type AlertSecretValues,
  type PagedSeverity,
  PEOPLE_KINDS,
  RECEIVER_SECRETS,
  receiverBlock,
  usableReceivers,
} from "./alert-receivers";

/** `alertmanager.yaml` for a Secret: it holds addresses and keys. */
export function alertmanagerConfig(receivers: AlertReceivers, secrets: AlertSecretValues): string {
  const document = new Document(alertRouting(receivers, secrets));
  const values = Object.values(secrets);
  visit(document, {
    // Quoted, so that a renderer that makes a template of the file finds each value.
    Scalar: (_key, node) => {
      if (values.some((value) => value === node.value)) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  // A folded value is split text.
  return document.toString({ lineWidth: 0 });
}

/** Services that watch the heartbeat should wait three intervals. */
const HEARTBEAT_INTERVAL = "1m";
/** Due before each tick, else every second one is skipped (Alertmanager's dedup stage). */
const HEARTBEAT_REPEAT = "30s";

/** Sends each alert to every receiver of its severity. Skips receivers without their secret. */
export function alertRouting(receivers: AlertReceivers = {}, secrets: AlertSecretValues = {}): AlertRouting {
  const usable = usableReceivers(receivers, Object.keys(secrets) as AlertSecretKey[]);
  const people = PEOPLE_KINDS.filter((kind) => usable.includes(kind));
  return {
    route: {
      receiver: NOBODY,
      group_by: [...GROUP_BY],
      group_wait: "30s",
      group_interval: "5m",
      repeat_interval: "12h",
      routes: [
        // Watchdog always fires.
        ...(usable.includes("heartbeat")
          ? [
              {
                receiver: "heartbeat",
                matchers: ['alertname = "Watchdog"'],
                group_wait: "0s",
                group_interval: HEARTBEAT_INTERVAL,
                repeat_interval: HEARTBEAT_REPEAT,
              },
            ]
          : []),
        { receiver: NOBODY, matchers: ['alertname =~ "Watchdog|InfoInhibitor"'] },
        { receiver: NOBODY, matchers: ['severity = "info"'] },
        ...people.flatMap((kind) => routesTo(kind, receivers[kind]?.severities ?? [])),
      ],
    },
    inhibit_rules: [
      // A model that is down explains its queue and latency.
      {
        source_matchers: ['alertname = "ModelUnavailable"'],
        target_matchers: ['severity =~ "warning|info"'],
        equal: ["namespace"],
      },
      // And its failed requests.
      {
        source_matchers: ['alertname = "ModelUnavailable"'],
        target_matchers: ['alertname =~ "ModelRequestsFailing|ModelSilent|ErrorBudgetBurns.*"'],
        equal: ["model"],
      },
      {
        source_matchers: ['severity = "critical"'],
        target_matchers: ['severity =~ "warning|info"'],
        equal: ["alertname", "namespace", ...THING],
      },
    ],
    receivers: [
      { name: NOBODY },
      ...usable.flatMap((kind): HelmValues[] => {
        const settings = receivers[kind];
        return settings === undefined ? [] : [receiverBlock(kind, settings, secrets[RECEIVER_SECRETS[kind]] ?? "")];
      }),
    ],
  };
}

const NOBODY = "nobody";

/** PagerDuty's incident key: environments that share a service must not close each other's. */
const GROUP_BY = ["environment", "cluster", "alertname", "namespace", "model"] as const;

/**
 * One incident per machine: grouping by namespace would hide the second. An outage of all nodes
 * alerts on targets and models.
 */
const MACHINE_FAULTS: readonly HelmValues[] = [
  // An exporter's pod changes its address when it restarts; node-exporter keeps the node's.
  { matchers: ['job = "node-exporter"'], group_by: [...GROUP_BY, "instance"] },
  // Certificates of kubelets fail together.
  { matchers: ['node != ""', 'job != "kubelet"'], group_by: [...GROUP_BY, "node"] },
];

/**
 * Labels of the chart's rules that exist in both severities. A label that both alerts lack counts
 * as equal (prometheus/alertmanager, docs/configuration.md, "Inhibition-related settings").
 */
const THING = ["node", "instance", "device", "mountpoint", "persistentvolumeclaim"] as const;

/** `continue`: other receivers get it too. Alerts without a severity count as warnings. */
function routesTo(receiver: string, severities: readonly PagedSeverity[]): HelmValues[] {
  const routes: Readonly<Record<PagedSeverity, HelmValues>> = {
    critical: {
      matchers: ['severity = "critical"'],
      group_wait: "10s",
      repeat_interval: "1h",
      routes: [...MACHINE_FAULTS],
    },
    warning: { matchers: ['severity != "critical"'] },
  };
  return severities.map((severity) => ({ receiver, ...routes[severity], continue: true }));
}

type AlertRouting = {
  readonly route: HelmValues;
  readonly inhibit_rules: readonly HelmValues[];
  readonly receivers: readonly HelmValues[];
};
