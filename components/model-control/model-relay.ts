import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { MODEL_RELAY } from "../../names/services";
import type { Stage } from "../../planner/types";
import { hashOf } from "../core/job-scripts";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable } from "../core/resources";
import { Workload } from "../core/workload";
import { MODEL_RELAY_PORTS } from "./names";
import { type RelaySettings, relayMemoryGiB } from "./relay-settings";

export interface ModelRelayArgs {
  readonly namespace: pulumi.Input<string>;
  readonly image: string;
  readonly user: number;
  readonly settings: RelaySettings;
  readonly stage: Stage;
}

const CONFIG = { folder: "/etc/model-relay", file: "config.json" } as const;

/** Seconds until the gateway notices a leaving replica: it resolves addresses every five. */
const DEREGISTER_SECONDS = 10;

/**
 * Forwards client requests to the engine that has the model. Separate from the API, so that clients
 * cannot slow it or reach its tokens, queue and permissions.
 */
export class ModelRelay extends PlatformComponent {
  constructor(name: string, args: ModelRelayArgs, opts?: pulumi.ComponentResourceOptions) {
    super("model-control:ModelRelay", name, opts);
    const { namespace, settings, image, stage, user } = args;
    const memoryGiB = relayMemoryGiB(settings);
    const data = { [CONFIG.file]: `${JSON.stringify(settings, undefined, 2)}\n` };
    const config = new kubernetes.core.v1.ConfigMap(
      this.child("config"),
      { metadata: { name: MODEL_RELAY, namespace, labels: standardLabels(MODEL_RELAY, MODEL_RELAY) }, data },
      this.childOptions(),
    );
    const probe = (path: string) => ({ httpGet: { path, port: "admin" }, periodSeconds: 5, timeoutSeconds: 5 });
    new Workload(
      this.child("server"),
      {
        namespace,
        app: MODEL_RELAY,
        instance: MODEL_RELAY,
        replicas: { count: replicasOf(stage) },
        // The gateway balances requests over replicas itself.
        headless: true,
        ports: [{ name: "http", port: MODEL_RELAY_PORTS.http }],
        podAnnotations: { [ANNOTATIONS.configHash]: hashOf(data) },
        controller: { kind: "Deployment" },
        pod: {
          user,
          priorityClassName: PRIORITY.platform.name,
          terminationGracePeriodSeconds: DEREGISTER_SECONDS + (settings.limits?.drainSeconds ?? 0) + 10,
          volumes: [{ name: "config", configMap: { name: named(config, MODEL_RELAY) } }],
          containers: [
            {
              name: "relay",
              image,
              command: ["node", "/app/relay.js"],
              ports: Object.entries(MODEL_RELAY_PORTS).map(([portName, containerPort]) => ({
                name: portName,
                containerPort,
              })),
              env: [{ name: "MODEL_RELAY_CONFIG", value: `${CONFIG.folder}/${CONFIG.file}` }],
              volumeMounts: [{ name: "config", mountPath: CONFIG.folder, readOnly: true }],
              resources: burstable({ cpu: 0.1, memoryGiB }, { cpu: 2, memoryGiB }),
              lifecycle: { preStop: { sleep: { seconds: DEREGISTER_SECONDS } } },
              startupProbe: { ...probe("/livez"), periodSeconds: 2, failureThreshold: 60 },
              livenessProbe: probe("/livez"),
              readinessProbe: probe("/readyz"),
            },
          ],
        },
      },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}
