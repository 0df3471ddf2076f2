import { parse } from "yaml";
import type { CloudNodes, NodeTemplate } from "./cloud/nodes";
import type { CloudResource, CloudStore, Properties } from "./cloud/store";
import { templateOf } from "./oci-node-pool";

/** The arguments of a cluster network's only pool, and of an instance pool. */
interface Group {
  readonly instanceConfigurationId: string;
  readonly size: number;
}

/** Of a cluster network and of an instance pool, whichever it is. */
interface GroupInputs extends Partial<Group> {
  readonly instancePools?: readonly Group[];
  readonly placementConfiguration?: { readonly availabilityDomain: string };
  readonly placementConfigurations?: readonly { readonly availabilityDomain: string }[];
}

/** The arguments of an instance configuration that decide about a node. */
interface Launch {
  readonly compartmentId: string;
  readonly shape: string;
  readonly shapeConfig?: { readonly ocpus?: number; readonly memoryInGbs?: number };
  readonly sourceDetails: { readonly imageId: string; readonly bootVolumeSizeInGbs?: string };
  readonly metadata: Readonly<Record<string, string>>;
}

/** What machines must have been told to find the cluster. */
export interface ClusterAddress {
  /** Without a port. */
  readonly apiServer: string;
  /** PEM. */
  readonly authority: string;
}

const POLICY = "oci:Identity/policy:Policy";
const GROUP = "oci:Identity/dynamicGroup:DynamicGroup";
const CLUSTER = "oci:ContainerEngine/cluster:Cluster";

/**
 * Machines of cluster networks and instance pools, as nodes of the API server. They join by themselves: those that were told
 * another cluster, or whom no policy lets in, run and are no nodes, as in the cloud. Nobody drains them.
 */
export class SelfManagedNodes {
  constructor(
    private readonly nodes: CloudNodes,
    private readonly store: CloudStore,
    private readonly cluster: ClusterAddress,
  ) {}

  async make({ id, inputs }: CloudResource): Promise<void> {
    await this.launch(id, inputs, groupOf(inputs).size);
  }

  /** Another size adds machines or takes some; another configuration is for those that are made from then on. */
  async change({ id }: CloudResource, { inputs }: CloudResource): Promise<void> {
    const present = await this.nodes.of(id);
    const missing = groupOf(inputs).size - present.length;
    if (missing > 0) {
      await this.launch(id, inputs, missing);
    } else if (missing < 0) {
      await this.nodes.lose(present.slice(missing));
    }
  }

  async empty({ id }: CloudResource): Promise<void> {
    await this.nodes.lose(await this.nodes.of(id));
  }

  private async launch(id: string, inputs: Properties, count: number): Promise<void> {
    const { instanceConfigurationId } = groupOf(inputs);
    const launch = launchOf(this.store.get(instanceConfigurationId));
    if (this.knowsCluster(launch) && this.mayJoin(launch)) {
      await this.nodes.add(id, nodeOf(launch, domainOf(inputs)), count);
    } else {
      this.store.record({ event: "machines did not join", subject: id });
    }
  }

  private knowsCluster({ metadata }: Launch): boolean {
    const { apiServer, authority } = this.cluster;
    const files = writtenFiles(metadata.user_data ?? "");
    return (
      files["/etc/oke/oke-apiserver"] === apiServer &&
      files["/etc/kubernetes/ca.crt"] === authority &&
      metadata.apiserver_host === apiServer &&
      Buffer.from(metadata.cluster_ca_cert ?? "", "base64").toString("utf8") === authority
    );
  }

  /** By a policy for a dynamic group that holds the machine's compartment, and for this cluster. */
  private mayJoin({ compartmentId }: Launch): boolean {
    const groups = this.store.of(GROUP).filter(({ inputs }) => String(inputs.matchingRule).includes(compartmentId));
    const clusters = this.store.of(CLUSTER);
    return this.store
      .of(POLICY)
      .flatMap(({ inputs }) => inputs.statements as readonly string[])
      .some(
        (statement) =>
          statement.includes("{CLUSTER_JOIN}") &&
          groups.some(({ id }) => statement.includes(`dynamic-group id ${id} `)) &&
          clusters.some(({ id }) => statement.includes(`target.cluster.id='${id}'`)),
      );
  }
}

function groupOf(inputs: Properties): Group {
  const given = inputs as unknown as GroupInputs;
  return given.instancePools?.[0] ?? (given as Group);
}

function domainOf(inputs: Properties): string {
  const { placementConfiguration, placementConfigurations = [] } = inputs as unknown as GroupInputs;
  return (placementConfiguration ?? placementConfigurations[0])?.availabilityDomain ?? "";
}

function launchOf(configuration: CloudResource | undefined): Launch {
  const { launchDetails } = (configuration?.inputs.instanceDetails ?? {}) as { readonly launchDetails?: Launch };
  if (launchDetails === undefined) {
    throw new Error("404-NotAuthorizedOrNotFound, there is no such instance configuration");
  }
  return launchDetails;
}

function nodeOf({ shape, shapeConfig, sourceDetails, metadata }: Launch, availabilityDomain: string): NodeTemplate {
  const labels = (metadata["oke-initial-node-labels"] ?? "").split(",").filter((label) => label !== "");
  return templateOf({
    nodeShape: shape,
    ...(shapeConfig && { nodeShapeConfig: shapeConfig }),
    nodeSourceDetails: sourceDetails,
    nodeMetadata: metadata,
    initialNodeLabels: labels.map((label) => {
      const [key = "", value = ""] = label.split("=");
      return { key, value };
    }),
    kubernetesVersion: metadata["oke-k8version"] ?? "",
    nodeConfigDetails: {
      size: 1,
      placementConfigs: [{ availabilityDomain }],
      nodePoolPodNetworkOptionDetails: { maxPodsPerNode: Number(metadata["oke-max-pods"]) },
    },
  });
}

/** What cloud-init writes on the machine, by path. */
function writtenFiles(userData: string): Readonly<Record<string, string>> {
  const { write_files = [] } = parse(Buffer.from(userData, "base64").toString("utf8")) as {
    readonly write_files?: readonly { readonly path: string; readonly content: string }[];
  };
  return Object.fromEntries(write_files.map(({ path, content }) => [path, content]));
}
