import { networkDestinations } from "../../../policies/rules/network-destinations";
import { object, policyCases, UNKNOWN } from "../cases";

const backend = (spec: unknown) => [object("gateway.envoyproxy.io/v1alpha1", "Backend", { spec }, { namespace: "gw" })];
const ip = (address: unknown) => backend({ endpoints: [{ ip: { address, port: 80 } }] });
const name = (hostname: unknown) => backend({ endpoints: [{ fqdn: { hostname, port: 80 } }] });
const entry = (spec: unknown) => [object("networking.istio.io/v1", "ServiceEntry", { spec }, { namespace: "a" })];
const no = "an address that is no cloud's metadata service";

policyCases(networkDestinations, [
  ["a Service by name", name("model-chat.model-chat.svc.cluster.local"), "pass"],
  ["a server by name", name("api.example.com"), "pass"],
  ["a private address", ip("10.0.0.7"), "pass"],
  ["an IPv6 address", ip("2001:db8::7"), "pass"],
  ...[
    "169.254.169.254",
    "fd00:ec2::254",
    "::ffff:169.254.169.254",
    "169.254.170.23",
    "100.100.100.200",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "::169.254.169.254",
    "::ffff:0:169.254.169.254",
    "2002:a9fe:a9fe::1",
    "127.1",
    "0",
    "fd00:c1::a9fe:a9fe",
    "fd20:ce::254",
    "fe80::1%eth0",
    "127.0.0.1",
    "::1",
  ].map((address) => [`the address ${address}`, ip(address), [`ip.address is "${address}"`]] as const),
  ...[
    "localhost",
    "metadata.google.internal",
    "instance-data.us-west-2.compute.internal",
    "169.254.169.254.nip.io",
    "169-254-169-254.example.com",
    "a9fea9fe.nip.io",
    "fd00-ec2--254.sslip.io",
  ].map((host) => [`the name ${host}`, name(host), [no]] as const),
  ...["*.google.internal", "*.ec2.internal", "*.us-west-2.compute.internal", "*.compute.internal"].map(
    (host) => [`names as ${host}`, entry({ hosts: [host] }), [no]] as const,
  ),
  ["a machine of AWS by name", entry({ hosts: ["ip-10-0-0-1.us-west-2.compute.internal"] }), "pass"],
  ...[
    "http://2852039166/",
    "http:\\\\169.254.169.254\\keys",
    "http://a@0xa9fea9fe:80/k",
    "http://%31%36%39.254.169.254/",
  ].map(
    (uri) =>
      [
        `keys of tokens at ${uri}`,
        [
          object("gateway.envoyproxy.io/v1alpha1", "SecurityPolicy", {
            spec: { jwt: { providers: [{ remoteJWKS: { uri } }] } },
          }),
        ],
        [no],
      ] as const,
  ),
  ["a number that is a private address", ip("167772161"), "pass"],
  ["an unknown address", ip(UNKNOWN), "unknown"],
  ["unknown endpoints", backend({ endpoints: UNKNOWN }), "unknown"],
  ["whatever a request names", backend({ type: "DynamicResolver" }), ['spec.type is "DynamicResolver"']],
  ["a socket of the node", backend({ endpoints: [{ unix: { path: "/run/a.sock" } }] }), ["endpoints[0].unix is"]],
  [
    "a slice of a Service",
    [
      object(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        { endpoints: [{ addresses: ["169.254.169.254"] }] },
        { namespace: "a" },
      ),
    ],
    ["endpoints[0].addresses[0] is"],
  ],
  [
    "endpoints of a Service",
    [object("core/v1", "Endpoints", { subsets: [{ addresses: [{ ip: "169.254.169.254" }] }] }, { namespace: "a" })],
    ["subsets[0].addresses[0].ip is"],
  ],
  [
    "a Service by another name",
    [object("core/v1", "Service", { spec: { type: "ExternalName", externalName: "metadata.google.internal" } })],
    ["spec.externalName is"],
  ],
  ["a host of the mesh", entry({ hosts: ["huggingface.co"] }), "pass"],
  ["hosts below a name", entry({ hosts: ["*.hf.co"] }), "pass"],
  ["every host", entry({ hosts: ["*"] }), ["hosts by name"]],
  ["a network of the mesh", entry({ hosts: ["a.example"], addresses: ["169.254.0.0/16"] }), ["spec.addresses[0] is"]],
  [
    "keys of tokens",
    [
      object("gateway.envoyproxy.io/v1alpha1", "SecurityPolicy", {
        spec: { jwt: { providers: [{ remoteJWKS: { uri: "http://169.254.169.254/keys" } }] } },
      }),
    ],
    ["remoteJWKS.uri is"],
  ],
  [
    "a metric that replicas follow",
    [
      object("keda.sh/v1alpha1", "ScaledObject", {
        spec: { triggers: [{ metadata: { serverAddress: "http://169.254.169.254:80/latest" } }] },
      }),
    ],
    ["serverAddress is"],
  ],
]);
