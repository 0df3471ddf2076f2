import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { LOGGING_NAMESPACE, NODE_LOGS_NAMESPACE } from "../../names/namespaces";
import { configFile } from "../core/config-files";
import { hardenedPodSpec } from "../core/hardened-pod";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { named } from "../core/known";
import { COLLECTOR_FILE, COLLECTOR_USER, collectorContainer } from "../core/otel-collector";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable, volumeClaimSpec } from "../core/resources";
import { Workload } from "../core/workload";
import { grafanaDataSource } from "../observability/data-source";
import {
  LOG_COLLECTOR_MEMORY_MIB,
  LOG_COLLECTOR_REQUEST,
  logCollectorConfig,
  OFFSETS,
  POD_LOGS,
} from "./collector-config";
import { LOKI_DATA, lokiConfig } from "./loki-config";
import { LOG_COLLECTOR, LOGS_SOURCE, LOKI, LOKI_PORTS, LOKI_TENANT, LOKI_URL, logCollectorPods } from "./names";

export interface LoggingArgs {
  readonly retentionDays: number;
  readonly storageGiB: number;
  readonly storageClass: string | undefined;
  /** Its volume is not deleted by mistake. */
  readonly protect: boolean;
  /** Linked from lines with a trace id. @default none */
  readonly tracesSource?: string | undefined;
  /** What Grafana reads its data sources after. */
  readonly grafana: pulumi.Resource | undefined;
}

/** User of Loki's image. */
const LOKI_USER = 10_001;
const CONFIG = "/etc/loki";

/** Root's group may read log files, so the collector need not be root. */
const ROOT_GROUP = 0;

export class Logging extends PlatformComponent {
  /** Makes Loki's API answer at 127.0.0.1:3100. */
  readonly command = `kubectl -n ${LOGGING_NAMESPACE} port-forward svc/${LOKI} ${LOKI_PORTS.http}:${LOKI_PORTS.http}`;

  constructor(name: string, args: LoggingArgs, opts?: pulumi.ComponentResourceOptions) {
    super("logging:Logging", name, opts);
    const loki = this.loki(args);
    this.collectors(loki.ready);
    grafanaDataSource(
      this.child("source"),
      {
        name: "Logs",
        type: "loki",
        uid: LOGS_SOURCE.uid,
        url: LOKI_URL,
        jsonData: {
          httpHeaderName1: LOKI_TENANT.header,
          ...(args.tracesSource !== undefined && traceLinks(args.tracesSource)),
        },
        secureJsonData: { httpHeaderValue1: LOKI_TENANT.value },
      },
      this.childOptions({ dependsOn: args.grafana ? [args.grafana] : [] }),
    );
    this.registerOutputs({ command: this.command });
  }

  private loki({ storageClass, protect, ...args }: LoggingArgs): Workload {
    const { namespace } = new IsolatedNamespace(
      this.child("namespace"),
      { namespace: LOGGING_NAMESPACE },
      this.childOptions(),
    );
    const config = configFile(
      this.child("loki-config"),
      { name: LOKI, namespace, file: COLLECTOR_FILE, content: lokiConfig(args) },
      this.childOptions(),
    );
    const ready = { httpGet: { path: "/ready", port: "http" }, periodSeconds: 10, timeoutSeconds: 5 };
    return new Workload(
      this.child("loki"),
      {
        namespace,
        app: LOKI,
        instance: LOKI,
        ports: [{ name: "http", port: LOKI_PORTS.http }],
        podAnnotations: { [ANNOTATIONS.configHash]: config.hash },
        controller: {
          kind: "StatefulSet",
          volumeClaims: [{ metadata: { name: "data" }, spec: volumeClaimSpec(args.storageGiB, storageClass) }],
        },
        controllerOptions: { protect },
        pod: {
          user: LOKI_USER,
          priorityClassName: PRIORITY.platform.name,
          // Writes memory to the volume.
          terminationGracePeriodSeconds: 120,
          volumes: [config.volume],
          containers: [
            {
              name: LOKI,
              image: image("loki"),
              args: [`-config.file=${CONFIG}/${COLLECTOR_FILE}`],
              ports: [{ name: "http", containerPort: LOKI_PORTS.http }],
              volumeMounts: [
                { name: "data", mountPath: LOKI_DATA },
                { name: config.volume.name, mountPath: CONFIG, readOnly: true },
              ],
              writablePaths: ["/tmp"],
              resources: burstable(
                { cpu: 0.2, memoryGiB: 0.75, ephemeralStorageGiB: 0.0625 },
                { cpu: 2, memoryGiB: 2, ephemeralStorageGiB: 1 },
              ),
              // It replays its write-ahead log before it is ready.
              startupProbe: { ...ready, failureThreshold: 90 },
              readinessProbe: ready,
              livenessProbe: { ...ready, periodSeconds: 20, failureThreshold: 15 },
            },
          ],
        },
      },
      this.childOptions(),
    );
  }

  private collectors(after: readonly pulumi.Resource[]): void {
    const { namespace } = new IsolatedNamespace(
      this.child("nodes"),
      { namespace: NODE_LOGS_NAMESPACE },
      this.childOptions(),
    );
    const labels = standardLabels(LOG_COLLECTOR, LOG_COLLECTOR);
    const metadata = { name: LOG_COLLECTOR, namespace, labels };
    const config = configFile(
      this.child("config"),
      { name: LOG_COLLECTOR, namespace, file: COLLECTOR_FILE, content: logCollectorConfig({ loki: LOKI_URL }) },
      this.childOptions(),
    );
    const account = new kubernetes.core.v1.ServiceAccount(
      this.child("account"),
      { metadata, automountServiceAccountToken: false },
      this.childOptions(),
    );
    new kubernetes.apps.v1.DaemonSet(
      this.child("collectors"),
      {
        metadata,
        spec: {
          selector: { matchLabels: { ...logCollectorPods.podLabels } },
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%" } },
          template: {
            metadata: { labels, annotations: { [ANNOTATIONS.configHash]: config.hash } },
            spec: {
              ...hardenedPodSpec({
                serviceAccountName: named(account, LOG_COLLECTOR),
                user: COLLECTOR_USER,
                supplementalGroups: [ROOT_GROUP],
                priorityClassName: PRIORITY.platform.name,
                nodeSelector: { "kubernetes.io/os": "linux" },
                volumes: [config.volume, { name: "pods", hostPath: { path: POD_LOGS, type: "Directory" } }],
                containers: [
                  collectorContainer(config.volume.name, {
                    request: LOG_COLLECTOR_REQUEST,
                    burstCpu: 0.5,
                    memoryMiB: LOG_COLLECTOR_MEMORY_MIB,
                    volumeMounts: [{ name: "pods", mountPath: POD_LOGS, readOnly: true }],
                    writablePaths: [OFFSETS],
                  }),
                ],
              }),
              // GPU nodes too.
              tolerations: [{ operator: "Exists" }],
            },
          },
        },
      },
      this.childOptions({ dependsOn: [...after] }),
    );
  }
}

/** A line's `trace_id` as a link to its trace. */
function traceLinks(datasourceUid: string): object {
  return {
    derivedFields: [
      // Grafana expands variables in provisioned files: `$$` is `$`.
      { name: "trace", matcherRegex: '"trace_id":"([0-9a-f]{32})"', url: "$${__value.raw}", datasourceUid },
    ],
  };
}
