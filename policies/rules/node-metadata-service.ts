import { resourcePolicy } from "../lib/policy";
import { broken, isNotTrue, type Row } from "../lib/rows";

const MACHINES = [
  "aws:ec2/instance:Instance",
  "aws:ec2/launchConfiguration:LaunchConfiguration",
  "aws:ec2/launchTemplate:LaunchTemplate",
  "aws:ec2/spotInstanceRequest:SpotInstanceRequest",
];
/** Each AWS machine; Karpenter's defaults for absent options are as strict (v1, EC2NodeClass). */
const OPTIONS: readonly (readonly [on: readonly string[], path: string, isLeftOutWrong: boolean])[] = [
  [MACHINES, "metadataOptions", true],
  [["EC2NodeClass"], "spec.metadataOptions", false],
];

const ONE_HOP = "1: what a pod asks has gone one further";

const AWS: readonly Row[] = OPTIONS.flatMap(([on, path, isLeftOutWrong]) => [
  {
    on,
    path: `${path}.httpTokens`,
    isWrong: (value) => (value === undefined ? isLeftOutWrong : value !== "required"),
    allowed: "required: otherwise a request forged through a node (SSRF) returns its credentials",
  },
  {
    on,
    path: `${path}.httpPutResponseHopLimit`,
    isWrong: (value) => value !== undefined && Number(value) > 1,
    allowed: ONE_HOP,
  },
  ...["httpProtocolIpv6", "httpProtocolIPv6"].map((name) => ({
    on,
    path: `${path}.${name}`,
    isWrong: (value: unknown) => value === "enabled",
    allowed: "disabled: NetworkPolicies of IPv4 do not hold it",
  })),
]);

const OCI: readonly Row[] = [
  ["oci:Core/instance:Instance", "instanceOptions"],
  ["oci:Core/instanceConfiguration:InstanceConfiguration", "instanceDetails.launchDetails.instanceOptions"],
  ["oci:ContainerEngine/nodePool:NodePool", "nodeMetadata"],
].map(([on = "", path]) => ({
  on: [on],
  path: `${path}.areLegacyImdsEndpointsDisabled`,
  isWrong: isNotTrue,
  allowed: "true: version 1 answers requests forged through a node (SSRF)",
}));

const ROWS = [...AWS, ...OCI];

export const nodeMetadataService = resourcePolicy(
  {
    name: "node-metadata-service",
    description:
      "A pod never becomes its node: machines answer questions about themselves with a token alone, to themselves alone, and by no older protocol (IMDSv2 with one hop on AWS, no legacy endpoints on OCI).",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["isolation", "network"],
    remediationSteps:
      "Set metadataOptions to httpTokens: required and httpPutResponseHopLimit: 1 on AWS, areLegacyImdsEndpointsDisabled on OCI.",
  },
  (resource, report) => {
    for (const finding of broken(ROWS, resource)) {
      report({ resource, ...finding });
    }
  },
);
