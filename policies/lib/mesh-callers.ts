import { GATEWAY_NAMESPACE, modelNamespaceName } from "../../names/namespaces";
import { isWorldOpen } from "../../names/world-open";
import { API_SERVER_PORTS } from "./api-server-ports";
import { type Field, isObject } from "./field";

/**
 * A rule of Istio's AuthorizationPolicy must name callers by a source or a condition. Exclusions
 * (`notNamespaces`) and request data (headers, paths) identify none.
 */
export function letsStrangersIn(rule: Field, namespace: Field): boolean {
  if (conditionNamesCallers(rule)) {
    return false;
  }
  const sources = rule.get("from").items();
  const open = sources.map((from) => from.get("source")).filter(isAnybody);
  if (sources.length > 0 ? open.length === 0 : isUnknown(rule.get("from"))) {
    return false;
  }
  const isExpected =
    isForPorts(rule, (port) => API_SERVER_PORTS.includes(port)) ||
    (isForPorts(rule, () => true) &&
      (namespace.is((name) => name === GATEWAY_NAMESPACE) || (open.length > 0 && open.every(isFromOutside))));
  return !isExpected;
}

type Names = (values: readonly Field[]) => boolean;

const everyOne =
  (isName: (text: string) => boolean): Names =>
  (values) =>
    values.length > 0 && !values.some((value) => value.is((text) => typeof text !== "string" || !isName(text)));

/** One namespace, or a prefix such as a team's; never all models' namespaces. */
function namesNamespace(text: string): boolean {
  const [, prefix] = /^(.*)\*$/.exec(text) ?? [];
  return prefix === undefined
    ? !text.includes("*")
    : /^[a-z0-9].*-$/.test(prefix) && !modelNamespaceName("").startsWith(prefix);
}

const namespaces = everyOne(namesNamespace);
/**
 * An identity with a namespace: `<trust domain>/ns/<namespace>/sa/<account>`. `*` is any identity
 * in the mesh.
 */
const principals = everyOne((text) => {
  const [, namespace] = /(?:^|\/)ns\/([^/]+)(\/.*)?$/.exec(text) ?? [];
  return namespace !== undefined && namesNamespace(namespace);
});
/** `<namespace>/<account>`, or an account in the policy's namespace. */
const accounts = everyOne((text) => !text.includes("*"));
/** Any validated token: its issuer vouches for the holder. */
const tokens = everyOne(() => true);
const addresses: Names = (values) =>
  values.length > 0 &&
  !isWorldOpen(...values.flatMap((value) => value.text() ?? [])) &&
  !values.some((value) => value.value === "*");

const SOURCES: Readonly<Record<string, Names>> = {
  principals,
  requestPrincipals: tokens,
  namespaces,
  serviceAccounts: accounts,
  ipBlocks: addresses,
  remoteIpBlocks: addresses,
};
const CONDITIONS: readonly (readonly [key: RegExp, names: Names])[] = [
  [/^source\.principal$/, principals],
  [/^source\.namespace$/, namespaces],
  [/^source\.serviceAccount$/, accounts],
  [/^(source|remote)\.ip$/, addresses],
  [/^request\.auth\./, tokens],
];

/** An unknown source may identify a caller. */
function isAnybody(source: Field): boolean {
  return (
    source.is((value) => !isObject(value)) ||
    (isObject(source.value) &&
      !Object.entries(SOURCES).some(([name, names]) => isUnknown(source.get(name)) || names(source.get(name).items())))
  );
}

/** Conditions are ANDed: one that names callers suffices. */
function conditionNamesCallers(rule: Field): boolean {
  const conditions = rule.get("when");
  return (
    isUnknown(conditions) ||
    conditions
      .items()
      .some((condition) =>
        CONDITIONS.some(
          ([key, names]) =>
            !condition.get("key").is((value) => !key.test(String(value))) &&
            (isUnknown(condition.get("values")) || names(condition.get("values").items())),
        ),
      )
  );
}

function isUnknown(field: Field): boolean {
  return !field.is(() => true);
}

/** Callers without identity, such as those outside the mesh: NetworkPolicies restrict them. */
function isFromOutside(source: Field): boolean {
  return (
    source
      .get("notPrincipals")
      .items()
      .some((each) => each.is((value) => value === "*")) &&
    !["ipBlocks", "remoteIpBlocks"].some((name) => source.get(name).is((value) => value !== undefined))
  );
}

function isForPorts(rule: Field, isSuch: (port: number) => boolean): boolean {
  const operations = rule.get("to").items();
  const ports = operations.map((to) => to.get("operation", "ports").items());
  return (
    operations.length > 0 &&
    ports.every(
      (each) =>
        each.length > 0 &&
        !each.some((port) => port.is((value) => !Number.isInteger(Number(value)) || !isSuch(Number(value)))),
    )
  );
}
