/**
 * What Istio 1.30.3 makes of policies, as far as the platform uses them: PeerAuthentication and AuthorizationPolicy with action ALLOW
 * (ztunnel's rbac.rs and state.rs, istiod's ambient/authorization.go). Neither runs here.
 */
import type { IAuthorizationPolicy } from "@kubernetes-models/istio/security.istio.io/v1/AuthorizationPolicy";
import type { IPeerAuthentication } from "@kubernetes-models/istio/security.istio.io/v1/PeerAuthentication";
import type { Source } from "../../components/mesh/callers";
import type { Guard } from "../../components/mesh/guard";
import { parseCidr } from "../../names/cidr";
import type { Labels } from "../../names/labels";

/** Who opens a connection. */
export interface Caller {
  /** Its address, of IPv4. */
  readonly address: string;
  /** What its certificate says. @default it has none, and speaks in the clear */
  readonly identity?: { readonly namespace: string; readonly account: string };
}

/** Whether pods with these labels, in the namespace of the guards, take the connection. */
export function admits(guards: readonly Guard[], labels: Labels, caller: Caller, port: number): boolean {
  return (
    (caller.identity !== undefined || takesPlain(guards, labels, port)) && authorizes(guards, labels, caller, port)
  );
}

/** @throws Error when two policies of one kind select the pod: which of them counts depends on their age. */
export function takesPlain(guards: readonly Guard[], labels: Labels, port: number): boolean {
  const specs = specsOf<NonNullable<IPeerAuthentication["spec"]>>(guards, "PeerAuthentication");
  const own = only(specs.filter(({ selector }) => selector && selects(selector.matchLabels, labels)));
  const all = only(specs.filter(({ selector }) => !selector));
  const mode = own?.portLevelMtls?.[String(port)]?.mode ?? own?.mtls?.mode ?? all?.mtls?.mode ?? "PERMISSIVE";
  return mode !== "STRICT";
}

export function authorizes(guards: readonly Guard[], labels: Labels, caller: Caller, port: number): boolean {
  const policies = specsOf<NonNullable<IAuthorizationPolicy["spec"]>>(guards, "AuthorizationPolicy").filter(
    ({ selector }) => !selector || selects(selector.matchLabels, labels),
  );
  if (policies.length === 0) {
    return true;
  }
  return policies.some(({ rules = [] }) =>
    rules.some(
      ({ from, to }) =>
        (from ?? [{ source: {} }]).some(({ source = {} }) => isFrom(source, caller)) &&
        (to ?? [{ operation: {} }]).some(({ operation }) => operation?.ports?.includes(String(port)) ?? true),
    ),
  );
}

/** All that a source asks for must hold, and of each list one. */
function isFrom(source: Source, { address, identity }: Caller): boolean {
  const { principals, notPrincipals, namespaces, ipBlocks, notIpBlocks, ...unknown } = source;
  if (Object.keys(unknown).length > 0) {
    throw new Error(`this test does not know what ${Object.keys(unknown).join(", ")} means`);
  }
  const name = identity && `cluster.local/ns/${identity.namespace}/sa/${identity.account}`;
  const isCaller = (wanted: string) => (wanted === "*" ? name !== undefined : wanted === name);
  const isIn = (cidr: string) => lies(address, cidr);
  return (
    (principals?.some(isCaller) ?? true) &&
    !(notPrincipals?.some(isCaller) ?? false) &&
    (namespaces?.some((wanted) => wanted === identity?.namespace) ?? true) &&
    (ipBlocks?.some(isIn) ?? true) &&
    !(notIpBlocks?.some(isIn) ?? false)
  );
}

export function lies(address: string, cidr: string): boolean {
  const [inner, outer] = [parseCidr(`${address}/32`), parseCidr(cidr)];
  return inner !== undefined && outer !== undefined && outer.first <= inner.first && inner.last <= outer.last;
}

export function selects(selector: Labels | undefined, labels: Labels): boolean {
  return Object.entries(selector ?? {}).every(([label, value]) => labels[label] === value);
}

function specsOf<Spec>(guards: readonly Guard[], kind: string): readonly Spec[] {
  // Guards are plain data: no input of theirs is an output of Pulumi's.
  return guards.filter((each) => each.kind === kind).map(({ spec }) => spec as Spec);
}

function only<Each>(found: readonly Each[]): Each | undefined {
  if (found.length > 1) {
    throw new Error(`${found.length} policies of one kind select the same pod: ${JSON.stringify(found)}`);
  }
  return found[0];
}
