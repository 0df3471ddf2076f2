import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { TRACING_NAMESPACE } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import { OTLP_PORTS } from "../../names/trace-receiver";
import { configFile } from "../core/config-files";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { named } from "../core/known";
import { COLLECTOR_FILE, COLLECTOR_USER, collectorContainer } from "../core/otel-collector";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable, volumeClaimSpec } from "../core/resources";
import { secretVersion } from "../core/secret-version";
import { Workload } from "../core/workload";
import { grafanaDataSource } from "../observability/data-source";
import { TRACE_COLLECTOR_MEMORY_MIB, TRACE_TOKEN, type TraceSampling, traceCollectorConfig } from "./collector-config";
import { JAEGER_DATA, jaegerConfig } from "./jaeger-config";
import { JAEGER, JAEGER_PORTS, JAEGER_URL, TRACE_COLLECTOR, TRACES_SOURCE } from "./names";

export interface TracingArgs {
  readonly sampling: TraceSampling;
  readonly store:
    | { readonly kind: "jaeger"; readonly retentionDays: number; readonly storageGiB: number }
    | { readonly kind: "otlp"; readonly url: string };
  /** Token of a server outside. @default it asks for none */
  readonly token?: pulumi.Input<string> | undefined;
  readonly storageClass: string | undefined;
  /** Jaeger's volume is not deleted by mistake. */
  readonly protect: boolean;
  /** What Grafana reads its data sources after. */
  readonly grafana: pulumi.Resource | undefined;
}

const JAEGER_USER = 10_001;
const CONFIG = "/etc/jaeger";

/** Takes the spans of gateway, nodes, engines and model control, and keeps some of the traces. */
export class Tracing extends PlatformComponent {
  /** Where people see traces; `undefined` with a server outside. */
  readonly command: string | undefined;

  constructor(name: string, args: TracingArgs, opts?: pulumi.ComponentResourceOptions) {
    super("tracing:Tracing", name, opts);
    const { namespace } = new IsolatedNamespace(
      this.child("namespace"),
      { namespace: TRACING_NAMESPACE },
      this.childOptions(),
    );
    const { store } = args;
    const jaeger = store.kind === "jaeger" ? this.jaeger(args, store, namespace) : undefined;
    this.collector(args, namespace, jaeger?.ready ?? []);
    this.command =
      jaeger &&
      `kubectl -n ${TRACING_NAMESPACE} port-forward svc/${JAEGER} ${JAEGER_PORTS.query}:${JAEGER_PORTS.query}`;
    if (jaeger) {
      grafanaDataSource(
        this.child("source"),
        { name: "Traces", type: "jaeger", uid: TRACES_SOURCE.uid, url: JAEGER_URL },
        this.childOptions({ dependsOn: args.grafana ? [args.grafana] : [] }),
      );
    }
    this.registerOutputs({ command: this.command });
  }

  /** One: it judges whole traces, so that all spans of one must come to it. */
  private collector(
    { sampling, store, token }: TracingArgs,
    namespace: pulumi.Output<string>,
    after: readonly pulumi.Resource[],
  ): void {
    const config = configFile(
      this.child("config"),
      {
        name: TRACE_COLLECTOR,
        namespace,
        file: COLLECTOR_FILE,
        content: traceCollectorConfig({
          sampling,
          store:
            store.kind === "jaeger"
              ? { kind: "jaeger", endpoint: `${serviceHost(JAEGER, TRACING_NAMESPACE)}:${JAEGER_PORTS.otlp}` }
              : { ...store, hasToken: token !== undefined },
        }),
      },
      this.childOptions(),
    );
    const content = token === undefined ? undefined : { [TRACE_TOKEN]: token };
    const secret =
      content &&
      new kubernetes.core.v1.Secret(
        this.child("token"),
        {
          metadata: { name: TRACE_COLLECTOR, namespace, labels: standardLabels(TRACE_COLLECTOR, TRACE_COLLECTOR) },
          stringData: content,
        },
        this.childOptions(),
      );
    new Workload(
      this.child("collector"),
      {
        namespace,
        app: TRACE_COLLECTOR,
        instance: TRACE_COLLECTOR,
        ports: [
          { name: "grpc-otlp", port: OTLP_PORTS.grpcPort },
          { name: "http-otlp", port: OTLP_PORTS.httpPort },
        ],
        podAnnotations: {
          [ANNOTATIONS.configHash]: config.hash,
          ...(secret && content && secretVersion(secret, content)),
        },
        controller: { kind: "Deployment" },
        controllerOptions: { dependsOn: [...after] },
        pod: {
          user: COLLECTOR_USER,
          priorityClassName: PRIORITY.platform.name,
          volumes: [config.volume],
          containers: [
            collectorContainer(config.volume.name, {
              request: { cpu: 0.1, memoryGiB: 0.25, ephemeralStorageGiB: 0.0625 },
              burstCpu: 1,
              memoryMiB: TRACE_COLLECTOR_MEMORY_MIB,
              ports: [
                { name: "grpc-otlp", containerPort: OTLP_PORTS.grpcPort },
                { name: "http-otlp", containerPort: OTLP_PORTS.httpPort },
              ],
              env: secret
                ? [
                    {
                      name: TRACE_TOKEN,
                      valueFrom: { secretKeyRef: { name: named(secret, TRACE_COLLECTOR), key: TRACE_TOKEN } },
                    },
                  ]
                : [],
            }),
          ],
        },
      },
      this.childOptions(),
    );
  }

  private jaeger(
    { storageClass, protect }: TracingArgs,
    { retentionDays, storageGiB }: { readonly retentionDays: number; readonly storageGiB: number },
    namespace: pulumi.Output<string>,
  ): Workload {
    const config = configFile(
      this.child("jaeger-config"),
      { name: JAEGER, namespace, file: COLLECTOR_FILE, content: jaegerConfig(retentionDays) },
      this.childOptions(),
    );
    const probe = { httpGet: { path: "/status", port: "health" }, periodSeconds: 10, timeoutSeconds: 5 };
    return new Workload(
      this.child("jaeger"),
      {
        namespace,
        app: JAEGER,
        instance: JAEGER,
        ports: [
          { name: "grpc-otlp", port: JAEGER_PORTS.otlp },
          { name: "http-query", port: JAEGER_PORTS.query },
        ],
        podAnnotations: { [ANNOTATIONS.configHash]: config.hash },
        controller: {
          kind: "StatefulSet",
          volumeClaims: [{ metadata: { name: "data" }, spec: volumeClaimSpec(storageGiB, storageClass) }],
        },
        controllerOptions: { protect },
        pod: {
          user: JAEGER_USER,
          priorityClassName: PRIORITY.platform.name,
          volumes: [config.volume],
          containers: [
            {
              name: JAEGER,
              image: image("jaeger"),
              args: [`--config=${CONFIG}/${COLLECTOR_FILE}`],
              ports: [
                { name: "grpc-otlp", containerPort: JAEGER_PORTS.otlp },
                { name: "http-query", containerPort: JAEGER_PORTS.query },
                { name: "metrics", containerPort: JAEGER_PORTS.metrics },
                { name: "health", containerPort: JAEGER_PORTS.health },
              ],
              volumeMounts: [
                { name: "data", mountPath: JAEGER_DATA },
                { name: config.volume.name, mountPath: CONFIG, readOnly: true },
              ],
              writablePaths: ["/tmp"],
              resources: burstable(
                { cpu: 0.1, memoryGiB: 0.5, ephemeralStorageGiB: 0.0625 },
                { cpu: 1, memoryGiB: 2, ephemeralStorageGiB: 1 },
              ),
              startupProbe: { ...probe, failureThreshold: 60 },
              readinessProbe: probe,
              livenessProbe: { ...probe, periodSeconds: 20, failureThreshold: 6 },
            },
          ],
        },
      },
      this.childOptions(),
    );
  }
}
