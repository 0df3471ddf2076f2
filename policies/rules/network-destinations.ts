import { overlaps, parseAddresses, parseCidr } from "../../names/cidr";
import { METADATA_SERVICES, OLDER_METADATA_SERVICES } from "../../names/metadata-services";
import { resourcePolicy } from "../lib/policy";
import { broken, type Row } from "../lib/rows";

const PLACES: readonly (readonly [kinds: readonly string[], paths: readonly string[]])[] = [
  [["Backend"], ["spec.endpoints[].ip.address", "spec.endpoints[].fqdn.hostname", "spec.endpoints[].hostname"]],
  [["EndpointSlice"], ["endpoints[].addresses[]"]],
  [["Endpoints"], ["subsets[].addresses[].ip", "subsets[].notReadyAddresses[].ip"]],
  [["Service"], ["spec.externalName"]],
  [["ServiceEntry"], ["spec.hosts[]", "spec.addresses[]", "spec.endpoints[].address"]],
  [["WorkloadEntry"], ["spec.address"]],
  [["RequestAuthentication"], ["spec.jwtRules[].jwksUri"]],
  [
    ["SecurityPolicy"],
    ["spec.jwt.providers[].remoteJWKS.uri", "spec.oidc.provider.issuer", "spec.oidc.provider.tokenEndpoint"],
  ],
  [["ScrapeConfig"], ["spec.staticConfigs[].targets[]"]],
  [["Probe"], ["spec.targets.staticConfig.static[]", "spec.prober.url"]],
  [
    ["ScaledObject", "ScaledJob"],
    ["spec.triggers[].metadata.serverAddress", "spec.triggers[].metadata.url"],
  ],
];

/** Metadata services of clouds, and loopback addresses. */
const FORBIDDEN = [
  ...METADATA_SERVICES,
  "127.0.0.0/8",
  "0.0.0.0/8",
  "::/127",
  "fe80::/10",
  // The same in other IPv6 forms: NAT64, compatible, translated (RFC 2765), 6to4.
  ...["64:ff9b::a9fe:0/112", "::a9fe:0/112", "::ffff:0:a9fe:0/112", "2002:a9fe::/32"],
  ...OLDER_METADATA_SERVICES,
].flatMap((cidr) => parseCidr(cidr) ?? []);

/** The same by name or wildcard; AWS has one per region. */
const NAMES =
  /^(localhost|metadata|metadata\.google\.internal|instance-data(\.(ec2|[a-z0-9-]+\.compute)\.internal)?)\.?$|^\*\.(ec2|google|([a-z0-9-]+\.)?compute)\.internal\.?$|169[.-]254[.-]169[.-]254|(^|[.-])a9fea9fe\b|a9fe-a9fe|fd00-ec2-|fd20-ce-/i;

const ROWS: readonly Row[] = [
  ...PLACES.flatMap(([on, paths]) =>
    paths.map((path) => ({
      on,
      path,
      isWrong: (value: unknown) => typeof value === "string" && leadsInside(value),
      allowed: "an address that is no cloud's metadata service, and not the host itself",
    })),
  ),
  {
    on: ["Backend"],
    path: "spec.type",
    isWrong: (type) => type === "DynamicResolver",
    allowed: "Endpoints: the gateway would connect to whatever host a request names",
  },
  {
    on: ["Backend"],
    path: "spec.endpoints[].unix",
    isWrong: (socket) => typeof socket === "object" && socket !== null && !Array.isArray(socket),
    allowed: "a name or an address",
  },
  {
    on: ["ServiceEntry"],
    path: "spec.hosts[]",
    isWrong: (host) => host === "*",
    allowed: "hosts by name",
  },
];

export const networkDestinations = resourcePolicy(
  {
    name: "network-destinations",
    description:
      "What the gateway, the mesh, Services and scrapers connect to is named, and is never the cloud's metadata service nor the host itself.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["network", "isolation"],
    remediationSteps: "Name the service that requests are for.",
  },
  (resource, report) => {
    for (const finding of broken(ROWS, resource)) {
      report({ resource, ...finding });
    }
  },
);

function leadsInside(text: string): boolean {
  const host = hostOf(text);
  const network = parseAddresses(host);
  return network === undefined ? NAMES.test(host) : FORBIDDEN.some((each) => overlaps(each, network));
}

/** Host of a URL or of `host:port`; IPv6 without brackets. */
function hostOf(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:[/\\]/i.test(text.trim()) && URL.canParse(text)) {
    return new URL(text).hostname.replace(/^\[|\]$/g, "");
  }
  const rest = text.trim().replace(/^[^/@]*@/, "");
  const [, bracketed] = /^\[([^\]]+)\]/.exec(rest) ?? [];
  if (bracketed !== undefined) {
    return bracketed;
  }
  return parseCidr(rest) !== undefined || (rest.match(/:/g) ?? []).length > 1 ? rest : rest.replace(/[:/?#].*$/, "");
}
