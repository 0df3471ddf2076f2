import { Command } from "@pulumi/command/local/command";
import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { RandomId } from "@pulumi/random/randomId";
import { localClusterTool } from "../../../catalog/local-clusters";
import { shippedText } from "../../../names/shipped-file";
import type { PoolPlan } from "../../../planner/types";
import type { Cluster } from "../../core/cluster";
import { ofMade } from "../../core/known";
import { PlatformComponent } from "../../core/platform-component";
import { kubernetesProvider } from "../kubernetes-provider";
import { plainLoadBalancer } from "../load-balancers";
import { plannedPools } from "../planned-pools";
import { localClusterName } from "./cluster-name";
import type { LocalClusterSettings } from "./settings";

const SCRIPT = "components/cluster/local/scripts/local-cluster.sh";

export interface LocalClusterArgs {
  readonly settings: LocalClusterSettings;
  /** Planned pools: the one node of the cluster. */
  readonly pools: readonly PoolPlan[];
  /** An existing class. @default the tool's default class */
  readonly storageClass: string | undefined;
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly privateCidrs: Cluster["privateCidrs"];
  readonly apiServerCidrs: Cluster["apiServerCidrs"];
}

/**
 * A one-node cluster in a local container, by k3d or kind. Its kubeconfig is only in the state.
 *
 * The script uses standard input: the state can delete the cluster from any checkout, and errors
 * stay short. No `triggers`: they would create a second cluster of that name, then delete both
 * (docs/local.md).
 */
export class LocalCluster extends PlatformComponent implements Cluster {
  readonly provider: kubernetes.Provider;
  readonly kubeconfig: pulumi.Output<string>;
  readonly clusterIdentifier: pulumi.Output<string>;
  readonly pools: Cluster["pools"];
  readonly storageClass: string;
  readonly volumeClass = undefined;
  readonly volumesGrow = false;
  readonly loadBalancer = plainLoadBalancer;
  readonly networkPolicies = "present";
  readonly gpuSoftware = "present";
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly workloadIdentity = undefined;
  readonly privateCidrs: Cluster["privateCidrs"];
  readonly apiServerCidrs: Cluster["apiServerCidrs"];
  readonly deletedWith: pulumi.Resource;
  readonly ready: readonly pulumi.Resource[];
  readonly gpusReady = [];
  readonly poolsReady = {};

  constructor(name: string, args: LocalClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:LocalCluster", name, opts);
    const { environment, tool, engine, nodeImage } = args.settings;
    const { install, storageClass } = localClusterTool(tool);
    const cluster = localClusterName(environment);
    // Another tool or engine creates another cluster; its clusterIdentifier replaces all objects.
    const owner = new RandomId(
      this.child("owner"),
      { byteLength: 8, keepers: { tool, engine, cluster } },
      this.childOptions(),
    );
    const command = new Command(
      this.child(`${tool}-${engine}`),
      {
        create: `sh -s create # ${tool}: ${cluster}`,
        delete: `sh -s delete # ${tool}: ${cluster}`,
        stdin: shippedText(SCRIPT),
        environment: {
          TOOL: tool,
          ENGINE: engine,
          CLUSTER: cluster,
          OWNER: owner.hex,
          NODE_IMAGE: nodeImage,
          INSTALL: install,
        },
        addPreviousOutputInEnv: false,
        // stderr has progress only, never the kubeconfig.
        logging: "stderr",
      },
      this.childOptions<pulumi.CustomResourceOptions>({ additionalSecretOutputs: ["stdout"] }),
    );
    this.kubeconfig = pulumi.secret(ofMade(command, command.stdout));
    this.clusterIdentifier = owner.hex;
    this.provider = kubernetesProvider(
      this.child("kubernetes"),
      { kubeconfig: this.kubeconfig, clusterIdentifier: this.clusterIdentifier },
      this.childOptions(),
    );
    this.pools = plannedPools(args.pools);
    this.storageClass = args.storageClass ?? storageClass;
    this.gpuExporters = args.gpuExporters;
    this.privateCidrs = args.privateCidrs;
    this.apiServerCidrs = args.apiServerCidrs;
    this.deletedWith = command;
    this.ready = [command];
    this.registerOutputs({});
  }
}
