import { cidrContains, isMappedIpv4, parseCidr } from "../../names/cidr";
import { METADATA_SERVICES, POD_IDENTITY_AGENT } from "../../names/metadata-services";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { isWorldOpen } from "../../names/world-open";
import { API_SERVER_PORTS } from "./api-server-ports";
import { type Field, isObject } from "./field";
import type { Resource } from "./resource";
import { select } from "./rows";
import { selectsAll } from "./selectors";

export interface TooWide {
  readonly field: Field;
  readonly found: string;
  readonly allowed: string;
}

/** An unknown namespace may be the gateway's. */
export function tooWideIngress(spec: Field, namespace: Field): TooWide[] {
  const isGateway = !namespace.is((name) => name !== GATEWAY_NAMESPACE);
  const rules = spec
    .get("ingress")
    .items()
    .filter((rule) => {
      const ports = rule.get("ports");
      const isExpected = isGateway
        ? isNarrow(ports, () => true)
        : isNarrow(ports, (port) => API_SERVER_PORTS.includes(port));
      return !isExpected && ports.is(() => true);
    });
  const open = rules.flatMap((rule) =>
    isEmptyList(rule.get("from")) ? [rule] : rule.get("from").items().filter(isEverybody),
  );
  return (open.length > 0 ? open : together(spec.get("ingress"), rules, "from")).map((field) => ({
    field,
    found: "is open to everything",
    allowed: `rules that name their peers; everybody only at ports that the API server calls (${API_SERVER_PORTS.join(", ")}), and at the gateway`,
  }));
}

/** Address blocks that cover all addresses only together. */
function together(direction: Field, rules: readonly Field[], peers: "from" | "to"): Field[] {
  const cidrs = rules
    .flatMap((rule) => rule.get(peers).items())
    .flatMap((peer) => peer.get("ipBlock", "cidr").text() ?? []);
  return isWorldOpen(...cidrs) ? [direction] : [];
}

function isNarrow(ports: Field, isSuch: (port: number) => boolean): boolean {
  return (
    ports.items().length > 0 &&
    !ports
      .items()
      .some(
        (each) =>
          each.get("endPort").is((value) => value !== undefined) ||
          each.get("port").is((port) => port === undefined || port === null || !isSuch(Number(port))),
      )
  );
}

function isEmptyList(list: Field): boolean {
  return list.is((value) => value === undefined || value === null || (Array.isArray(value) && value.length === 0));
}

/** Outside addresses, or pods of any namespace. */
function isEverybody(peer: Field): boolean {
  const cidr = peer.get("ipBlock", "cidr");
  return (
    cidr.is((value) => typeof value === "string" && isWorldOpen(value)) ||
    peer.get("namespaceSelector").is((selector) => isObject(selector) && selectsAll(peer.get("namespaceSelector"))) ||
    peer.is((value) => isObject(value) && Object.keys(value).length === 0)
  );
}

/** Pods with labels count as named in any namespace. */
function isAnybody(peer: Field): boolean {
  const pods = peer.get("podSelector");
  return isEverybody(peer) && (pods.is((selector) => !isObject(selector)) || selectsAll(pods));
}

/** DNS may go anywhere: resolvers of clouds have their own addresses. */
const DNS = 53;

/** Metadata services and the like, in networks that no pod may reach. */
const METADATA_ADDRESSES = [
  "169.254.169.254",
  "169.254.170.2",
  POD_IDENTITY_AGENT.cidr.replace(/\/.*/, ""),
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd00:c1::a9fe:a9fe",
  "fd20:ce::254",
];

const METADATA_INSIDE = "has the cloud's metadata service in it, by which a pod becomes its node";

/** The identity of the node or of another cloud principal. */
export function tooWideEgress(spec: Field, hasPodIdentity: () => boolean): TooWide[] {
  const rules = spec.get("egress").items();
  const wide = rules.filter((rule) => rule.get("ports").is(() => true) && !isNarrow(rule.get("ports"), () => true));
  const hasStrangers = wide.some((rule) => rule.get("to").items().some(isAnybody));
  return [
    ...(hasStrangers ? [] : together(spec.get("egress"), wide, "to")).map((field) => ({
      field,
      found: "is everybody, at every port",
      allowed: "named peers; everybody only at single ports",
    })),
    ...rules.flatMap((rule) => {
      const isDns = isNarrow(rule.get("ports"), (port) => port === DNS);
      const everywhere = isEmptyList(rule.get("to")) && !isDns;
      const strangers = isNarrow(rule.get("ports"), () => true) ? [] : rule.get("to").items().filter(isAnybody);
      const blocks = rule
        .get("to")
        .items()
        .map((peer) => peer.get("ipBlock"));
      return [
        ...(everywhere && rule.get("ports").is(() => true)
          ? [{ field: rule, found: "is open to everything", allowed: "rules with peers: ports alone are everywhere" }]
          : []),
        ...(rule.get("ports").is(() => true) ? strangers : []).map((field) => ({
          field,
          found: "is everybody, at every port",
          allowed: "named peers; everybody only at single ports",
        })),
        ...blocks
          .filter((block) => METADATA_ADDRESSES.some((address) => reaches(block, address)))
          .filter((block) => !(block.get("cidr").value === POD_IDENTITY_AGENT.cidr && hasPodIdentity()))
          .map((field) => ({
            field,
            found: METADATA_INSIDE,
            allowed: `a block without it, by except: [${METADATA_SERVICES.map((cidr) => `"${cidr}"`).join(" or ")}]`,
          })),
      ];
    }),
  ];
}

/**
 * Networks not in CIDR form (`0169.254.169.254/32`), or IPv4 in IPv6 form: programs read them
 * differently, or not at all.
 */
export function unreadNetworks(spec: Field): TooWide[] {
  return ["ingress[].from[]", "egress[].to[]"]
    .flatMap((peer) => [`${peer}.ipBlock.cidr`, `${peer}.ipBlock.except[]`])
    .flatMap((path) => select(spec, path))
    .filter((cidr) =>
      cidr.is((value) => typeof value === "string" && (parseCidr(value) === undefined || isMappedIpv4(value))),
    )
    .map((field) => ({ field, found: `is "${field.value as string}", no network`, allowed: "a network in CIDR form" }));
}

function reaches(block: Field, address: string): boolean {
  const contains = (cidr: Field) => cidr.is((value) => typeof value === "string" && cidrContains(value, address));
  return contains(block.get("cidr")) && !block.get("except").items().some(contains);
}

/** Policies of network plugins that allow traffic before or besides NetworkPolicies. */
const OVERRIDING = [
  "AdminNetworkPolicy",
  "BaselineAdminNetworkPolicy",
  "ClusterNetworkPolicy",
  "GlobalNetworkPolicy",
  "StagedGlobalNetworkPolicy",
  "CiliumNetworkPolicy",
  "CiliumClusterwideNetworkPolicy",
];
const NO_PEERS = [
  "action",
  "name",
  "ports",
  "toPorts",
  "protocol",
  "protocols",
  "icmps",
  "metadata",
  "http",
  "ipVersion",
];
/** The pods of Calico's rule itself, not peers. */
const OWN_SIDE = { ingress: "destination", egress: "source" } as const;
type OwnSide = (typeof OWN_SIDE)[keyof typeof OWN_SIDE];
const EVERYBODY = /^(|\*|all|all\(\)|global\(\)|world|cluster|Allow|Accept)$/i;

export function overridingRules({ kind, type, props }: Resource): TooWide[] {
  const isCalico = (kind === "NetworkPolicy" || kind === "Profile") && type.includes("projectcalico");
  if (!isCalico && !OVERRIDING.includes(kind ?? "")) {
    return [];
  }
  // Cilium also has a list of specs.
  const specs = [props.get("spec"), ...props.get("specs").items()];
  return (["ingress", "egress"] as const).flatMap((direction) =>
    specs.flatMap((spec) => [
      ...spec
        .get(direction)
        .items()
        .filter(isAllowing)
        .filter((rule) => !namesPeers(rule, OWN_SIDE[direction]))
        .map((field) => ({
          field,
          found: "is open to everybody, past all NetworkPolicies",
          allowed: "rules that name their peers",
        })),
      ...(direction === "egress"
        ? spec
            .get(direction)
            .items()
            .filter(isAllowing)
            .flatMap((rule) => metadataNetworks(rule))
        : []),
      ...[spec.get("enableDefaultDeny", direction)]
        .filter((field) => field.is((value) => value === false))
        .map((field) => ({
          field,
          found: "is no denial for the pods that it selects",
          allowed: "true: what no rule names is denied",
        })),
    ]),
  );
}

function isAllowing(rule: Field): boolean {
  return rule.get("action").is((action) => action === undefined || action === "Allow" || action === "Accept");
}

/** Minus exclusions: `except`, Calico's `notNets`. */
function metadataNetworks(field: Field, notNets?: Field): TooWide[] {
  if (METADATA_ADDRESSES.some((address) => reaches(field, address))) {
    return [{ field: field.get("cidr"), found: METADATA_INSIDE, allowed: "networks without it" }];
  }
  const { value } = field;
  if (typeof value === "string") {
    return METADATA_ADDRESSES.some((address) => cidrContains(value, address) && !isLeftOut(address, notNets))
      ? [{ field, found: METADATA_INSIDE, allowed: "networks without it" }]
      : [];
  }
  if (!isObject(value)) {
    return field.items().flatMap((item) => metadataNetworks(item, notNets));
  }
  return field
    .entries()
    .filter(([key]) => !/^(not|except|cidr$)/.test(key) && key !== OWN_SIDE.egress)
    .flatMap(([key, child]) => metadataNetworks(child, key === "nets" ? field.get("notNets") : undefined));
}

/** Unknown networks may exclude an address. */
function isLeftOut(address: string, networks: Field | undefined): boolean {
  return (
    networks !== undefined &&
    (!networks.is(() => true) ||
      networks.items().some((each) => !each.is((cidr) => typeof cidr !== "string" || !cidrContains(cidr, address))))
  );
}

/** Exclusions, such as Calico's `notNets`, name no peer. */
function namesPeers(field: Field, ownSide: OwnSide): boolean {
  if (typeof field.value === "symbol") {
    field.items(); // reads, so that the result is "undecided"
    return true;
  }
  if (Array.isArray(field.value)) {
    return field.items().some((item) => namesPeers(item, ownSide));
  }
  if (isObject(field.value)) {
    return field
      .entries()
      .some(
        ([key, child]) => ![...NO_PEERS, ownSide].includes(key) && !key.startsWith("not") && namesPeers(child, ownSide),
      );
  }
  return typeof field.value === "string" && !EVERYBODY.test(field.value) && !isWorldOpen(field.value);
}
