import type { RecordedInputs } from "../../../policies/evaluate";
import { container, deployment, object, plan, podSpec, release, resource } from "../subjects";
import { base64, iam, inModel } from "./attack";

const pod = (changes: Record<string, unknown>) => [deployment(podSpec({ containers: [container(changes)] }))];
const variables = (values: Record<string, string>) =>
  pod({ env: Object.entries(values).map(([name, value]) => ({ name, value })) });
const OIDC = "oidc.eks.eu-west-1.amazonaws.com/id/A";
const CERTIFICATE = `-----BEGIN CERTIFICATE-----\n${base64("a certificate, which everybody may read, is long and looks random")}\n-----END CERTIFICATE-----`;

/** What policies must let pass: it looks like what they refuse. */
export const ACCEPTED: readonly (readonly [what: string, resources: readonly RecordedInputs[]])[] = [
  ["an image by tag and digest", pod({ image: `a/b:1.0@sha256:${"a".repeat(64)}` })],
  ["an image by the number of its build", pod({ image: "a/b:20431" })],
  ["paths of mounted secrets", pod({ args: ["--password-file=/etc/secrets/password", "--token-file", "/run/token"] })],
  [
    "names of keys",
    variables({
      SORT_KEY: "created",
      PARTITION_KEY: "tenant",
      ROUTING_KEY: "a.b",
      IDEMPOTENCY_KEY_HEADER: "Idempotency-Key",
    }),
  ],
  [
    "a load balancer inside of the network",
    [
      plan({ pools: [{ name: "p", role: "cpu", shape: "VM.Standard.E5.Flex", selector: {}, taints: [] }], models: [] }),
      object(
        "core/v1",
        "Service",
        { spec: { type: "LoadBalancer" } },
        { namespace: "model-chat", annotations: { "service.beta.kubernetes.io/oci-load-balancer-internal": "true" } },
      ),
    ],
  ],
  [
    "descriptions of EC2",
    [resource("aws:iam/policy:Policy", { policy: iam({ Action: ["ec2:DescribeImages"], Resource: "*" }) })],
  ],
  [
    "tagged machines",
    [
      resource("aws:iam/policy:Policy", {
        policy: iam({
          Action: "ssm:SendCommand",
          Resource: "arn:aws:ec2:*:*:instance/*",
          Condition: { StringEquals: { "aws:ResourceTag/team": "a" } },
        }),
      }),
    ],
  ],
  [
    "a key whose account decides",
    [
      resource(
        "aws:kms/key:Key",
        { policy: iam({ Principal: { AWS: "arn:aws:iam::123456789012:root" }, Action: "kms:*", Resource: "*" }) },
        { protect: true },
      ),
    ],
  ],
  [
    "one account of the cluster",
    [
      resource("aws:iam/role:Role", {
        assumeRolePolicy: iam({
          Principal: { Federated: `arn:aws:iam::123456789012:oidc-provider/${OIDC}` },
          Action: "sts:AssumeRoleWithWebIdentity",
          Condition: { StringEquals: { [`${OIDC}:sub`]: "system:serviceaccount:a:b" } },
        }),
      }),
    ],
  ],
  [
    "clients of the gateway",
    [
      resource("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", {
        cidrIpv4: "0.0.0.0/0",
        ipProtocol: "tcp",
        fromPort: 443,
        toPort: 443,
      }),
    ],
  ],
  [
    "a certificate and a checksum",
    [
      inModel("core/v1", "ConfigMap", {
        data: { "ca.crt": CERTIFICATE, sums: `${"9f86d081884c7d65".repeat(4)}  a.safetensors` },
      }),
    ],
  ],
  [
    "scripts that read their secrets",
    [
      inModel("core/v1", "ConfigMap", {
        data: {
          "run.sh":
            '#!/bin/sh\nexport TOKEN="$(cat /run/token)"\nPASSWORD=$1 serve --token "$TOKEN"\n# --token names the token\n',
        },
      }),
    ],
  ],
  [
    "callers of one namespace",
    [
      inModel("networking.k8s.io/v1", "NetworkPolicy", {
        spec: {
          podSelector: {},
          policyTypes: ["Ingress"],
          ingress: [
            {
              from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "inference-gateway" } } }],
              ports: [{ port: 8000 }],
            },
          ],
        },
      }),
    ],
  ],
  [
    "a narrow policy of Calico's, of the whole cluster",
    [
      object("crd.projectcalico.org/v1", "GlobalNetworkPolicy", {
        spec: { ingress: [{ action: "Allow", source: { selector: "app == 'a'" } }, { action: "Deny" }] },
      }),
    ],
  ],
  [
    "networks of Cilium without the metadata service",
    [
      inModel("cilium.io/v2", "CiliumNetworkPolicy", {
        spec: { egress: [{ toCIDRSet: [{ cidr: "169.254.0.0/16", except: ["169.254.128.0/17"] }] }] },
      }),
    ],
  ],
  [
    "OKE's own principals, in lower case",
    [
      resource("oci:Identity/policy:Policy", {
        statements: [
          "allow any-user  to use keys in compartment id ocid1.compartment.oc1..a where ALL {request.principal.type = 'nodepool', request.principal.id = 'ocid1.nodepool.a'}",
        ],
      }),
    ],
  ],
  [
    "an autoscaler beside one that recommends",
    [
      inModel("autoscaling/v2", "HorizontalPodAutoscaler", {
        spec: { scaleTargetRef: { kind: "Deployment", name: "a" } },
      }),
      inModel("autoscaling.k8s.io/v1", "VerticalPodAutoscaler", {
        spec: { targetRef: { kind: "Deployment", name: "a" }, updatePolicy: { updateMode: "Off" } },
      }),
    ],
  ],
  [
    "a bucket that is named by its id",
    [
      resource("aws:s3/bucket:Bucket", { bucket: "b" }, { name: "bucket", protect: true }),
      resource("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", {
        bucket: "bucket-id",
        blockPublicAcls: true,
        blockPublicPolicy: true,
        ignorePublicAcls: true,
        restrictPublicBuckets: true,
      }),
      resource("aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration", {
        bucket: "bucket-id",
        rules: [{ applyServerSideEncryptionByDefault: { kmsMasterKeyId: "a" } }],
      }),
    ],
  ],
  [
    "offices of an organization",
    [
      inModel("networking.k8s.io/v1", "NetworkPolicy", {
        spec: {
          podSelector: {},
          egress: [
            {
              to: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "203.0.113.0/24"].map((cidr) => ({
                ipBlock: { cidr },
              })),
            },
          ],
        },
      }),
    ],
  ],
  [
    "what programs of OCI read",
    [
      resource("oci:Identity/policy:Policy", {
        statements: [
          "Allow dynamic-group nodes to read repos in compartment id ocid1.compartment.oc1..a",
          "Allow group ops to manage instance-family in compartment id ocid1.compartment.oc1..a",
          "Allow dynamic-group a to read secret-bundles in compartment id ocid1.compartment.oc1..a where target.secret.id = 'ocid1.b'",
        ],
      }),
    ],
  ],
  [
    "a chart that is hardened",
    [
      release({
        values: {
          podSecurityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
          containerSecurityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
          hostNetwork: false,
          service: { type: "ClusterIP" },
          ingress: { enabled: false },
          auth: { enabled: true },
          tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
          extraVolumes: [{ name: "tmp", emptyDir: {} }],
          extraObjects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } }],
        },
      }),
    ],
  ],
  [
    "node-exporter, in the namespace for it",
    [release({ values: { exporter: { namespaceOverride: "node-metrics", hostNetwork: true, hostPID: true } } })],
  ],
  [
    "one Secret by name",
    [
      inModel("rbac.authorization.k8s.io/v1", "Role", {
        rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["a"], verbs: ["get"] }],
      }),
    ],
  ],
];
