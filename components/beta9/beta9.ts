import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { BETA9_NAMESPACE } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import type { PoolPlan, Stage } from "../../planner/types";
import type { CertManager } from "../certificates/cert-manager";
import type { Cluster } from "../core/cluster";
import { Controller, type ControllerContents } from "../core/controller";
import type { GpuAccessByVendor } from "../core/gpu-access";
import { hashOf } from "../core/job-scripts";
import { PlatformComponent } from "../core/platform-component";
import { secretVersion } from "../core/secret-version";
import { TRUST_SECRET, trustCertificate } from "../storage/store-certificates";
import { MODEL_STORE_HOST } from "../storage/store-layout";
import { type Backends, storeAddress } from "./backends";
import {
  BACKEND_ALIASES,
  BETA9_RELEASE,
  CREDENTIALS,
  GATEWAY_PORTS,
  GATEWAY_SERVICE,
  HEALTH_PATH,
  SETTINGS,
} from "./names";
import { releaseValues } from "./release-values";
import { credentialsFile, settingsFile } from "./settings";
import type { Authority, GpuPool } from "./worker-pools";
import { WorkerTolerations } from "./worker-tolerations";

export interface Beta9Args {
  readonly backends: Backends;
  /** For the gateway, image builds and functions without a GPU; amd64. */
  readonly cpuPool: Pick<PoolPlan, "selector">;
  /** Pools with NVIDIA GPUs that Beta9 has a name for. */
  readonly gpuPools: readonly GpuPool[];
  /** @default nothing except the device plugins */
  readonly gpuAccess?: GpuAccessByVendor;
  /** `inject` needs Kubernetes 1.36; `none` needs untainted nodes. */
  readonly tolerations: "inject" | "none";
  readonly containerRuntime: "gvisor" | "runc";
  readonly cluster: Pick<Cluster, "storageClass">;
  /** `production` refuses to delete the encryption key. */
  readonly stage: Stage;
  /** For trust in the model store, if used. */
  readonly certManager: CertManager;
}

/** Path of the store's CA in gateway and workers; system CAs stay. */
const STORE_AUTHORITY: Authority = { secret: TRUST_SECRET, key: "ca.crt", file: "/etc/model-store/ca.crt" };

/**
 * Serverless GPU runtime (AGPL-3.0), run by privileged workers that its gateway starts as Jobs.
 * Workers share GPU nodes with models, which preempt them. Databases and storage are external;
 * every published default credential is overridden.
 */
export class Beta9 extends PlatformComponent {
  /** HTTP API inside the cluster. */
  readonly address = `http://${serviceHost(GATEWAY_SERVICE, BETA9_NAMESPACE)}:${GATEWAY_PORTS.http}`;
  /** Where to ask whether it works. */
  readonly health = `${this.address}${HEALTH_PATH}`;

  constructor(name: string, args: Beta9Args, opts?: pulumi.ComponentResourceOptions) {
    super("beta9:Beta9", name, opts);
    new Controller(
      name,
      {
        namespace: BETA9_NAMESPACE,
        namespaceSuffix: "ns",
        contents: (namespace) => this.contents(namespace, args),
      },
      this.childOptions(),
    );
    this.registerOutputs({ address: this.address });
  }

  private contents(namespace: pulumi.Output<string>, args: Beta9Args): ControllerContents {
    const { backends, cluster } = args;
    const usesModelStore = storeAddress(backends.s3).host === MODEL_STORE_HOST;
    if (usesModelStore) {
      trustCertificate(this.child("trust"), namespace, args.certManager, this.childOptions());
    }
    const authority = usesModelStore ? STORE_AUTHORITY : undefined;

    const settings = settingsFile(
      backends,
      {
        cpuPool: args.cpuPool,
        gpuPools: args.gpuPools,
        ...(args.gpuAccess && { gpuAccess: args.gpuAccess }),
        containerRuntime: args.containerRuntime,
        ...(authority && { authority }),
      },
      this.inherited.images,
    );
    const settingsMap = new kubernetes.core.v1.ConfigMap(
      this.child("settings"),
      { metadata: metadata(SETTINGS.configMap, namespace), data: { [SETTINGS.file]: settings } },
      this.childOptions(),
    );
    const content = { [CREDENTIALS.file]: credentialsFile(backends, this.generate(args.stage)) };
    const credentials = new kubernetes.core.v1.Secret(
      this.child("credentials"),
      { metadata: metadata(CREDENTIALS.secret, namespace), stringData: content },
      this.childOptions(),
    );
    const aliases = Object.entries(BACKEND_ALIASES).map(
      ([backend, alias]) =>
        new kubernetes.core.v1.Service(
          this.child(alias),
          {
            metadata: metadata(alias, namespace),
            spec: {
              type: "ExternalName",
              externalName: fullName(backends[backend as keyof typeof BACKEND_ALIASES].host),
            },
          },
          this.childOptions(),
        ),
    );
    const taints = distinct(args.tolerations === "inject" ? args.gpuPools.flatMap((pool) => pool.taints) : []);
    const tolerations =
      taints.length > 0 ? [new WorkerTolerations(this.child("tolerations"), { taints }, this.childOptions())] : [];

    return {
      needs: [settingsMap, credentials, ...aliases, ...tolerations],
      charts: [
        {
          suffix: "release",
          chart: "beta9-chart",
          release: BETA9_RELEASE,
          values: releaseValues({
            backends,
            nodeSelector: args.cpuPool.selector,
            storageClass: cluster.storageClass,
            podAnnotations: {
              [ANNOTATIONS.configHash]: hashOf([settings]),
              ...secretVersion(credentials, content),
            },
            authority,
          }),
        },
      ],
    };
  }

  private generate(stage: Stage): Parameters<typeof credentialsFile>[1] {
    const password = (suffix: string, length: number, protect = false) =>
      new random.RandomPassword(this.child(suffix), { length, special: false }, this.childOptions({ protect })).result;
    return {
      // Without it the secrets in the database are lost.
      encryptionKey: password("encryption-key", 32, stage === "production"),
      fileServiceKey: password("file-service-key", 40),
      coordinatorToken: password("coordinator-token", 40),
    };
  }
}

function metadata(name: string, namespace: pulumi.Input<string>) {
  return { name, namespace, labels: standardLabels("beta9", name) };
}

/** An alias resolves literally, without the pod's search domains. */
function fullName(host: string): string {
  return host.endsWith(".svc") ? `${host}.cluster.local` : host;
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
