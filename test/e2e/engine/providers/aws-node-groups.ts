import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../../kubernetes/object";
import type { ApiClient } from "../../../../rehearsal/cluster/api-client";
import { nodeOf, ROOT_VOLUME_GIB } from "./aws-machines";
import type { CloudNodes, DrainRules, NodeTemplate } from "./cloud/nodes";
import type { CloudResource, CloudStore, Properties } from "./cloud/store";
import type { Taint } from "./karpenter/objects";

/** The arguments of a node group that decide about its nodes. */
interface GroupInputs {
  readonly subnetIds: readonly string[];
  readonly scalingConfig: { readonly desiredSize: number; readonly minSize: number; readonly maxSize: number };
  readonly instanceTypes?: readonly string[];
  readonly capacityType?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  readonly launchTemplate?: { readonly id: string; readonly version: string };
  readonly version?: string;
  readonly releaseVersion?: string;
  readonly forceUpdateVersion?: boolean;
  readonly updateConfig?: { readonly maxUnavailable?: number; readonly updateStrategy?: string };
}

/** The arguments of a launch template that decide about a machine. */
interface TemplateInputs {
  readonly instanceType?: string;
  readonly userData?: string;
  readonly blockDeviceMappings?: readonly { readonly ebs?: { readonly volumeSize?: number } }[];
  readonly networkInterfaces?: readonly { readonly interfaceType?: string }[];
}

const TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate";
const EFFECTS: Readonly<Record<string, string>> = {
  NO_SCHEDULE: "NoSchedule",
  NO_EXECUTE: "NoExecute",
  PREFER_NO_SCHEDULE: "PreferNoSchedule",
};
/** EKS tries evictions for 15 minutes; a test waits a second for each. */
const DRAIN_MS = 15_000;

/**
 * EKS' managed node groups, as nodes of the API server. What they do by the EKS user guide, "managed-node-update-behavior" and
 * "update-managed-node-group", read 2026-11-23: a new version of template or image rolls, a few nodes at a time; labels, taints
 * and sizes reach the nodes that are there. Left out: the surge over every zone, which makes more nodes than maxUnavailable.
 */
export class ManagedNodeGroups {
  constructor(
    private readonly client: ApiClient,
    private readonly nodes: CloudNodes,
    private readonly store: CloudStore,
  ) {}

  async make({ id, inputs }: CloudResource): Promise<void> {
    const group = asGroup(inputs);
    examineSizes(group);
    await this.add(id, group, group.scalingConfig.desiredSize);
  }

  async change({ id, inputs: old }: CloudResource, { inputs }: CloudResource): Promise<void> {
    const [before, after] = [asGroup(old), asGroup(inputs)];
    examineSizes(after);
    const rolls = (["launchTemplate", "version", "releaseVersion"] as const).some(
      (key) => !isDeepStrictEqual(before[key], after[key]),
    );
    if (rolls) {
      await this.roll(id, after);
    }
    const present = await this.nodes.of(id);
    await Promise.all(present.map((node) => this.tell(node, before, after)));
    const missing = after.scalingConfig.desiredSize - present.length;
    if (missing > 0) {
      await this.add(id, after, missing);
    } else if (missing < 0) {
      await this.nodes.remove(present.slice(missing), drainRules(after));
    }
  }

  async empty({ id, inputs }: CloudResource): Promise<void> {
    // Nobody keeps a group whose deletion was asked for: EKS takes its machines when their time is up.
    await this.nodes.remove(await this.nodes.of(id), { ...drainRules(asGroup(inputs)), force: true });
  }

  /** Over its subnets, one after the other. */
  private async add(id: string, group: GroupInputs, count: number): Promise<void> {
    const subnets = Array.from({ length: count }, (_, index) => group.subnetIds[index % group.subnetIds.length] ?? "");
    await Promise.all(subnets.map((subnet) => this.nodes.add(id, this.templateOf(id, group, subnet), 1)));
  }

  private async roll(id: string, group: GroupInputs): Promise<void> {
    const { maxUnavailable = 1, updateStrategy = "DEFAULT" } = group.updateConfig ?? {};
    const old = await this.nodes.of(id);
    for (let first = 0; first < old.length; first += maxUnavailable) {
      const leaving = old.slice(first, first + maxUnavailable);
      if (updateStrategy === "DEFAULT") {
        await this.add(id, group, leaving.length);
        await this.nodes.remove(leaving, drainRules(group));
      } else {
        await this.nodes.remove(leaving, drainRules(group));
        await this.add(id, group, leaving.length);
      }
    }
  }

  /** Changes labels and taints of a node that is there. */
  private async tell(node: KubernetesObject, before: GroupInputs, after: GroupInputs): Promise<void> {
    if (isDeepStrictEqual([before.labels, before.taints], [after.labels, after.taints])) {
      return;
    }
    const gone = Object.keys(before.labels ?? {}).map((key) => [key, null]);
    const { taints = [] } = node.spec as { readonly taints?: readonly { readonly key: string }[] };
    const ours = (before.taints ?? []).map(({ key }) => key);
    await this.client.patch(node, {
      metadata: { labels: { ...Object.fromEntries(gone), ...after.labels } },
      spec: { taints: [...taints.filter(({ key }) => !ours.includes(key)), ...taintsOf(after)] },
    });
  }

  private templateOf(id: string, group: GroupInputs, subnetId: string): NodeTemplate {
    const { instanceTypes, capacityType = "ON_DEMAND", launchTemplate, labels = {} } = group;
    const template = (this.store.get(launchTemplate?.id ?? "", TEMPLATE)?.inputs ?? {}) as TemplateInputs;
    const userData = Buffer.from(template.userData ?? "", "base64").toString("utf8");
    const version = [launchTemplate?.version ?? "no template", group.version ?? "", group.releaseVersion ?? ""];
    return nodeOf({
      shape: instanceTypes?.[0] ?? template.instanceType ?? "",
      zone: String(this.store.get(subnetId)?.inputs.availabilityZone),
      labels: {
        "eks.amazonaws.com/nodegroup": id.slice(id.indexOf(":") + 1),
        "eks.amazonaws.com/capacityType": capacityType,
        ...labels,
      },
      taints: taintsOf(group),
      userData,
      bootVolumeGiB: template.blockDeviceMappings?.[0]?.ebs?.volumeSize ?? ROOT_VOLUME_GIB,
      localDisks: userData.includes("localStorage"),
      efa: (template.networkInterfaces ?? []).some(({ interfaceType }) => interfaceType?.startsWith("efa")),
      madeWith: version.join(" ").trim(),
    });
  }
}

function asGroup(inputs: Properties): GroupInputs {
  return inputs as unknown as GroupInputs;
}

function taintsOf({ taints = [] }: GroupInputs): Taint[] {
  return taints.map(({ key, value, effect }) => ({ key, ...(value && { value }), effect: EFFECTS[effect] ?? effect }));
}

function drainRules({ forceUpdateVersion = false }: GroupInputs): DrainRules {
  return { graceMs: DRAIN_MS, force: forceUpdateVersion };
}

/** In EKS' own words (terraform-aws-modules/terraform-aws-eks issues 2030 and 748). */
function examineSizes({ scalingConfig: { desiredSize, minSize, maxSize } }: GroupInputs): void {
  if (minSize > desiredSize) {
    throw new Error(
      `InvalidParameterException: Minimum capacity ${minSize} can't be greater than desired size ${desiredSize}`,
    );
  }
  if (desiredSize > maxSize) {
    throw new Error(
      `InvalidParameterException: Desired capacity ${desiredSize} can't be greater than max size ${maxSize}`,
    );
  }
}
