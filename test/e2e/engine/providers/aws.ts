import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../../kubernetes/object";
import { AWS_ACCOUNTS } from "../../../../names/aws";
import { awsCalls, OFFLINE_AWS } from "../../../../offline/aws-answers";
import { accessOf, connect } from "../../../../rehearsal/cluster/kubeconfig";
import facts from "../../../fixtures/upstream/aws-replacement.json";
import { PlayedKarpenter } from "./aws-karpenter";
import { examineNames } from "./aws-names";
import { ManagedNodeGroups } from "./aws-node-groups";
import { examineOrder } from "./aws-order";
import { alsoKnownAs, clusterGroup, isOwnId, newId, outputsOf } from "./aws-resources";
import { CloudProvider, type CloudType } from "./cloud";
import type { ArgumentFacts } from "./cloud/arguments";
import { playLoadBalancers } from "./cloud/load-balancers";
import { CloudNodes } from "./cloud/nodes";
import { CloudStore, type Properties } from "./cloud/store";

/**
 * Stands in for the official `aws` provider, and for AWS. Every cluster that a program makes is the API server of KUBECONFIG; its
 * node groups, and the machines of Karpenter, are nodes there. E2E_CLOUD is the folder of what there is in the cloud;
 * E2E_CLOUD_DELAYS says in JSON how long it takes for what, in milliseconds by type; E2E_ENDPOINT is the address that clusters
 * say they have.
 */
const CLUSTER = "aws:eks/cluster:Cluster";
const NODE_GROUP = "aws:eks/nodeGroup:NodeGroup";
const TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate";
const SUBNET = "aws:ec2/subnet:Subnet";
/** By which the AWS Load Balancer Controller holds a Service (its pkg/service, `service.k8s.aws/resources`). */
const LOAD_BALANCER_FINALIZER = "service.k8s.aws/resources";
const SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme";

const kubeconfig = readFileSync(process.env.KUBECONFIG ?? "", "utf8");
const client = connect(kubeconfig);
const store = new CloudStore(process.env.E2E_CLOUD ?? "");
const delays = JSON.parse(process.env.E2E_CLOUD_DELAYS ?? "{}") as Readonly<Record<string, CloudType["delays"]>>;
const { address, port, ca } = accessOf(kubeconfig);
const endpoint = process.env.E2E_ENDPOINT ?? `${address}:${port}`;

const nodes = new CloudNodes(client, (event, subject) => store.record({ event, subject }));
const groups = new ManagedNodeGroups(client, nodes, store);

const TYPES: Readonly<Record<string, CloudType>> = {
  [CLUSTER]: {
    outputs: (inputs, id) => ({
      ...outputsOf(CLUSTER, inputs, id),
      endpoint: `https://${endpoint}`,
      certificateAuthority: { data: Buffer.from(ca).toString("base64") },
      status: "ACTIVE",
      vpcConfig: { ...(inputs.vpcConfig as Properties), clusterSecurityGroupId: clusterGroup(id) },
    }),
    changed: async ({ inputs: before }, { inputs: after }) => {
      if (!isDeepStrictEqual(before.encryptionConfig, after.encryptionConfig)) {
        throw new Error("ResourceInUseException: Cluster already has encryption configured: its key stays");
      }
    },
    leaving: async ({ id, inputs }) => {
      if (inputs.deletionProtection === true) {
        throw new Error(`InvalidRequestException: Cluster ${id} has deletion protection enabled`);
      }
    },
  },
  [NODE_GROUP]: {
    outputs: (inputs, id) => ({ ...outputsOf(NODE_GROUP, inputs, id), status: "ACTIVE" }),
    made: (group) => groups.make(group),
    changed: (before, after) => groups.change(before, after),
    leaving: (group) => groups.empty(group),
  },
  [TEMPLATE]: {
    // Every change is a new version.
    outputs: (inputs, id, before) => {
      const latestVersion = Number(before?.outputs.latestVersion ?? 0) + 1;
      return { ...outputsOf(TEMPLATE, inputs, id), latestVersion, defaultVersion: 1 };
    },
  },
};

const types = Object.keys(facts.resources).map((type): [string, CloudType] => [
  type,
  {
    outputs: (inputs, id) => outputsOf(type, inputs, id),
    ...TYPES[type],
    ...(delays[type] && { delays: delays[type] }),
  },
]);

new CloudProvider(
  {
    version: facts.version,
    facts: facts.resources as Readonly<Record<string, ArgumentFacts>>,
    types: Object.fromEntries(types),
    functions: awsCalls(OFFLINE_AWS),
    newId,
    isOwnId,
    alsoKnownAs,
    examine: (type, inputs) => {
      examineNames(type, inputs);
      examineOrder(store, type, inputs);
    },
  },
  store,
).serve();

void new PlayedKarpenter(client, nodes, store, () => isInstalled("karpenter", AWS_ACCOUNTS.karpenter)).play();

void playLoadBalancers(client, store, {
  subnet: loadBalancerSubnet,
  removalMs: Number(process.env.E2E_LOAD_BALANCER_MS ?? "0"),
  finalizer: LOAD_BALANCER_FINALIZER,
  isTended: () => isInstalled("aws-load-balancer-controller", AWS_ACCOUNTS.loadBalancers),
});

/** The subnet that the load balancer of a Service stands in: found by its tag, as the controller does. */
function loadBalancerSubnet({ metadata }: KubernetesObject): string | undefined {
  const isPublic = metadata.annotations?.[SCHEME] === "internet-facing";
  const tag = isPublic ? "kubernetes.io/role/elb" : "kubernetes.io/role/internal-elb";
  return store.of(SUBNET).find(({ inputs }) => (inputs.tags as Properties | undefined)?.[tag] === "1")?.id;
}

/** Whether a release of this name is in its controller's namespace, and its service account has its rights in AWS. */
async function isInstalled(
  release: string,
  { namespace, serviceAccount }: (typeof AWS_ACCOUNTS)[keyof typeof AWS_ACCOUNTS],
): Promise<boolean> {
  const hasRights = store
    .of("aws:eks/podIdentityAssociation:PodIdentityAssociation")
    .some(({ inputs }) => inputs.namespace === namespace && inputs.serviceAccount === serviceAccount);
  const metadata = { name: `sh.helm.release.v1.${release}.v1`, namespace };
  const record = await client.get({ apiVersion: "v1", kind: "Secret", metadata });
  return hasRights && record?.metadata.labels?.status === "deployed";
}
