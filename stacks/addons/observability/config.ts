import { z } from "zod";
import { dnsLabel, labelKey, labelValue, url, wholeNumber } from "../../config/core/sections/fields";
import { taggedUnion } from "../../config/core/sections/tagged-union";
import { alertSecrets, alertsField } from "./alerts-config";

const runbookUrl = url({ protocol: /^https?$/ })
  .optional()
  .meta({
    description:
      "URL of docs/operations.md where on-call engineers can open it: links in alerts and dashboards lead to its entries. Default: the path in the repository.",
    allowed: "an http:// or https:// URL",
    example: "https://git.example.com/platform/inference-stacks/blob/main/docs/operations.md",
  });

const labels = z.record(labelKey, labelValue);

const ofPlatform = z
  .strictObject({
    prometheus: z.literal("platform").default("platform").meta({ example: "platform" }),
    profile: z.enum(["light", "full"]).default("full").meta({
      description:
        "Size of the metrics stack. light: one small replica of each part; full: redundant, for shared platforms.",
      example: "light",
    }),
    retentionDays: wholeNumber(1, 730)
      .default(15)
      .meta({ description: "How long metrics are kept.", unit: "days", example: 15 }),
    storageGiB: wholeNumber(1, 65_536)
      .default(50)
      .meta({ description: "Volume of the metrics.", unit: "GiB", example: 50 }),
    alerts: alertsField,
    runbookUrl,
  })
  .meta({ description: "installed by the platform, with Alertmanager, Grafana and exporters." });

const present = z
  .strictObject({
    prometheus: z.literal("present").meta({ example: "present" }),
    operator: z
      .strictObject({
        namespace: dnsLabel().meta({ description: "Namespace of its Prometheus.", example: "monitoring" }),
        labels: labels.meta({
          description:
            "Labels that its selectors require on monitors and rules (podMonitorSelector, serviceMonitorSelector, ruleSelector).",
          example: { release: "kube-prometheus-stack" },
        }),
        dashboardLabels: labels.default({ grafana_dashboard: "1" }).meta({
          description: "Labels by which Grafana's sidecar finds dashboards.",
          example: { grafana_dashboard: "1" },
        }),
        podLabels: labels.default({ "app.kubernetes.io/name": "prometheus" }).meta({
          description: "Labels of the pods of Prometheus: NetworkPolicies let these in.",
          example: { "app.kubernetes.io/name": "prometheus" },
        }),
        url: url({ protocol: /^http$/ })
          .optional()
          .meta({
            description:
              "Query API of Prometheus inside the cluster, where autoscalers read signals. Default: the Service prometheus-operated of the namespace, port 9090.",
            allowed: "an http:// URL of a Service, with its port",
            example: "http://prometheus-operated.monitoring.svc.cluster.local:9090",
          }),
      })
      .meta({
        description: "How it finds what the platform brings.",
        example: { namespace: "monitoring", labels: { release: "kube-prometheus-stack" } },
      }),
    alerts: z.literal("none").default("none").meta({
      description: "Your Alertmanager sends alerts; the platform brings rules alone.",
      allowed: "none with prometheus: present: your Alertmanager has the receivers, route by the label severity there",
      example: "none",
    }),
    runbookUrl,
  })
  .meta({ description: "a Prometheus Operator that the cluster has: monitors, rules and dashboards alone are made." });

export const observabilitySection = taggedUnion("prometheus", [ofPlatform, present])
  .prefault({})
  .meta({
    description: "Metrics, dashboards and alerts.",
    example: { profile: "light" },
  });

export type ObservabilityConfig = z.output<typeof observabilitySection>;

export const observabilitySecrets = alertSecrets;

export type ObservabilitySecret = keyof typeof observabilitySecrets;
