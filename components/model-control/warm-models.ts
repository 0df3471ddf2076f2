import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS } from "../../names/labels";
import { MODEL_CONTROL_NAMESPACE } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import { MODEL_CONTROL } from "../../names/services";
import { runToCompletion } from "../core/job";
import { hashOf, jobScripts, scriptPath } from "../core/job-scripts";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import { TOKEN_KEY, tokenSecretName } from "./api-tokens";
import { MODEL_CONTROL_PORTS, WARM_MODELS } from "./names";
import type { WarmModelsJob } from "./scripts/warm-models";

const TOKEN_FOLDER = "/run/token";

/** Timeout per model in seconds: 40 GB at 100 Mbit/s. */
const SECONDS_PER_MODEL = 3600;

export interface WarmModelsArgs {
  readonly namespace: pulumi.Input<string>;
  /** Names in the registry; at least one. */
  readonly models: readonly string[];
  /** Hash of API and engines: after a change, the models may be gone. */
  readonly fleetHash: string;
  readonly dependsOn: pulumi.Input<pulumi.Resource>[];
}

/** The deployment fails if a model is unavailable. */
export class WarmModels extends PlatformComponent {
  constructor(name: string, args: WarmModelsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("model-control:WarmModels", name, opts);
    const deadlineSeconds = SECONDS_PER_MODEL * args.models.length;
    const job: WarmModelsJob = {
      url: `http://${serviceHost(MODEL_CONTROL, MODEL_CONTROL_NAMESPACE)}:${MODEL_CONTROL_PORTS.http}`,
      tokenFile: `${TOKEN_FOLDER}/${TOKEN_KEY}`,
      models: args.models,
    };
    const scripts = jobScripts(
      this.child("scripts"),
      {
        namespace: args.namespace,
        name: WARM_MODELS,
        folder: "components/model-control/scripts",
        files: ["warm-models.ts"],
      },
      this.childOptions(),
    );
    runToCompletion(
      this.child("fetch"),
      {
        namespace: args.namespace,
        app: WARM_MODELS,
        instance: WARM_MODELS,
        podAnnotations: { [ANNOTATIONS.configHash]: hashOf([scripts.hash, job, args.fleetHash]) },
        deadlineSeconds,
        dependsOn: args.dependsOn,
        pod: {
          priorityClassName: PRIORITY.batch.name,
          volumes: [scripts.volume, { name: "token", secret: { secretName: tokenSecretName(WARM_MODELS) } }],
          containers: [
            {
              name: "fetch",
              image: image("node"),
              command: ["node", scriptPath("warm-models.ts")],
              env: [
                { name: "RUN", value: "warm-models" },
                { name: "WARM_MODELS", value: JSON.stringify(job) },
              ],
              volumeMounts: [scripts.mount, { name: "token", mountPath: TOKEN_FOLDER, readOnly: true }],
              writablePaths: ["/tmp"],
              resources: burstable({ cpu: 0.05, memoryGiB: 0.125 }, { cpu: 1, memoryGiB: 0.5 }),
            },
          ],
        },
      },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}
