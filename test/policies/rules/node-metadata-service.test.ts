import { nodeMetadataService } from "../../../policies/rules/node-metadata-service";
import { object, policyCases, resource, UNKNOWN } from "../cases";

const template = (metadataOptions?: unknown) => [
  resource("aws:ec2/launchTemplate:LaunchTemplate", { metadataOptions }),
];
const karpenter = (metadataOptions?: unknown) => [
  object("karpenter.k8s.aws/v1", "EC2NodeClass", { spec: { metadataOptions } }),
];
const configuration = (areLegacyImdsEndpointsDisabled?: unknown) => [
  resource("oci:Core/instanceConfiguration:InstanceConfiguration", {
    instanceDetails: { launchDetails: { instanceOptions: { areLegacyImdsEndpointsDisabled } } },
  }),
];
const pool = (nodeMetadata: unknown) => [resource("oci:ContainerEngine/nodePool:NodePool", { nodeMetadata })];

policyCases(nodeMetadataService, [
  ["version 2 with one hop", template({ httpTokens: "required", httpPutResponseHopLimit: 1 }), "pass"],
  ["version 2", template({ httpTokens: "required" }), "pass"],
  ["AWS's default", template(), ["metadataOptions.httpTokens is not set"]],
  ["version 1", template({ httpTokens: "optional" }), ['httpTokens is "optional"']],
  ["two hops", template({ httpTokens: "required", httpPutResponseHopLimit: 2 }), ["httpPutResponseHopLimit is 2"]],
  ["IPv6", template({ httpTokens: "required", httpProtocolIpv6: "enabled" }), ['httpProtocolIpv6 is "enabled"']],
  ["unknown options", template(UNKNOWN), "unknown"],
  ["a machine", [resource("aws:ec2/instance:Instance", {})], ["metadataOptions.httpTokens is not set"]],
  ["Karpenter's default", karpenter(), "pass"],
  ["version 1 by Karpenter", karpenter({ httpTokens: "optional" }), ["spec.metadataOptions.httpTokens"]],
  [
    "two hops by Karpenter",
    karpenter({ httpPutResponseHopLimit: 2 }),
    ["spec.metadataOptions.httpPutResponseHopLimit"],
  ],
  ["OCI's version 2", configuration(true), "pass"],
  ["OCI's default", configuration(), ["areLegacyImdsEndpointsDisabled is not set"]],
  ["OCI's version 1", configuration(false), ["areLegacyImdsEndpointsDisabled is false"]],
  ["unknown on OCI", configuration(UNKNOWN), "unknown"],
  ["nodes of OKE", pool({ areLegacyImdsEndpointsDisabled: "true" }), "pass"],
  ["nodes of OKE by default", pool({}), ["nodeMetadata.areLegacyImdsEndpointsDisabled is not set"]],
]);
