import { ANNOTATIONS, CHECKED_BY_SERVICE } from "../../names/labels";
import type { Field } from "../lib/field";
import { leadsToModel } from "../lib/model-routes";
import { stackPolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";
import { broken, isTrue, type Row } from "../lib/rows";

/** `authorization` alone trusts the request. */
const AUTHENTICATION = ["apiKeyAuth", "jwt", "basicAuth", "oidc", "extAuth"] as const;

/** Also those that another controller turns into routes. */
const ROUTES = ["HTTPRoute", "GRPCRoute", "AIGatewayRoute"];
/** They forward connections without authentication. */
const STREAMS = ["TCPRoute", "TLSRoute", "UDPRoute"];

const LETTING_PASS: readonly Row[] = [
  ["jwt.optional", "false: a request without a token passes"],
  ["extAuth.failOpen", "false: requests pass while the service that asks is away"],
].map(([path, allowed = ""]) => ({ on: ["SecurityPolicy"], path: `spec.${path}`, isWrong: isTrue, allowed }));

const ALLOWING: Row = {
  on: ["SecurityPolicy"],
  path: "spec.authorization.defaultAction",
  isWrong: (action) => action === "Allow",
  allowed: "Deny",
};

const OPENING = [...LETTING_PASS, ALLOWING];

export const tenantIsolation = stackPolicy(
  {
    name: "tenant-isolation",
    description:
      "No caller reaches a model without authentication: every route on an HTTPS listener has a SecurityPolicy that asks for a key or a token, on the listener or on the route, lets no request pass without, and no policy of a route takes it away. Plain HTTP redirects alone, and no route passes connections on unread. A route whose service checks its callers itself says so in an annotation; routes to models cannot.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["isolation", "authentication"],
    remediationSteps: `Let the route name the listener that asks for keys; give a SecurityPolicy on routes mergeType, or authentication of its own; annotate routes to services that check their callers with ${ANNOTATIONS.callers}: ${CHECKED_BY_SERVICE}.`,
  },
  (resources, report) => {
    const gateways = resources.filter(({ kind }) => kind === "Gateway");
    const policies = resources.filter(({ kind }) => kind === "SecurityPolicy");
    for (const route of resources.filter(({ kind }) => [...ROUTES, ...STREAMS].includes(kind ?? ""))) {
      if (isChecked(route) && !leadsToModel(route, resources)) {
        continue;
      }
      for (const parent of route.props.get("spec", "parentRefs").items()) {
        if (isPlain(parent, gateways)) {
          if (hasBackends(route)) {
            report({
              resource: route,
              field: parent,
              found: "is a listener of plain HTTP: no authentication, no encryption",
              allowed: "redirects alone; services on the HTTPS listener",
            });
          }
          continue;
        }
        if (STREAMS.includes(route.kind ?? "")) {
          report({
            resource: route,
            field: parent,
            found: `is what a ${route.kind} attaches to, which passes connections on unasked`,
            allowed: "an HTTPRoute or GRPCRoute",
          });
          continue;
        }
        const guards = policies.filter((policy) => isOn(policy, route, (target) => isParent(target, parent)));
        if (!guards.some(asks)) {
          report({
            resource: route,
            field: parent,
            found: "is an HTTPS listener without a SecurityPolicy that asks who calls",
            allowed: `listeners with one, or ${ANNOTATIONS.callers}: ${CHECKED_BY_SERVICE} where the service asks itself`,
          });
        }
      }
    }
    for (const policy of policies) {
      for (const finding of broken(OPENING, policy)) {
        report({ resource: policy, ...finding });
      }
      const targets = targetsOf(policy);
      const selectors = policy.props.get("spec", "targetSelectors").items();
      const isOnRoutes = [...targets, ...selectors].some((target) =>
        target.get("kind").is((kind) => kind !== "Gateway"),
      );
      const merges = !policy.props.get("spec", "mergeType").is((value) => value === undefined);
      if (isOnRoutes && !merges && !asks(policy)) {
        report({
          resource: policy,
          field: policy.props.get("spec"),
          found: "is without authentication, and takes that of the listener away from its routes",
          allowed: "mergeType, or authentication of its own",
        });
      }
    }
  },
);

/** An unknown field leaves the result undecided. */
function asks(policy: Resource): boolean {
  const { props } = policy;
  return broken(LETTING_PASS, policy).length > 0
    ? false
    : AUTHENTICATION.some((kind) => !props.get("spec", kind).is((value) => value === undefined || value === null));
}

/** A route states whether its service authenticates. Engines trust every caller. */
function isChecked({ props }: Resource): boolean {
  return props.get("metadata", "annotations", ANNOTATIONS.callers).is((value) => value === CHECKED_BY_SERVICE);
}

function hasBackends({ kind, props }: Resource): boolean {
  const rules = props.get("spec", "rules").items();
  return STREAMS.includes(kind ?? "") || rules.some((rule) => rule.get("backendRefs").items().length > 0);
}

/** Also by the older field for one target. */
function targetsOf({ props }: Resource): Field[] {
  const one = props.get("spec", "targetRef");
  return [...props.get("spec", "targetRefs").items(), ...(one.is((value) => value === undefined) ? [] : [one])];
}

function isOn(policy: Resource, route: Resource, matches: (target: Field) => boolean): boolean {
  const here = namespaceOf(route).value;
  const targets = policy.props.get("spec", "targetRefs");
  return (
    !namespaceOf(policy).is((namespace) => namespace !== here) && (!isKnown(targets) || targetsOf(policy).some(matches))
  );
}

function isKnown(field: Field): boolean {
  return field.is(() => true);
}

/** The listener, or its whole Gateway. */
function isParent(target: Field, parent: Field): boolean {
  return (
    target.get("kind").is((kind) => kind === "Gateway") &&
    same(target.get("name"), parent.get("name")) &&
    (target.get("sectionName").is((section) => section === undefined) ||
      same(target.get("sectionName"), parent.get("sectionName")))
  );
}

function same(a: Field, b: Field): boolean {
  return !a.is((value) => b.is((other) => other !== value));
}

/** Plain HTTP only redirects and answers challenges. Parents without a listener are all. */
function isPlain(parent: Field, gateways: readonly Resource[]): boolean {
  const section = parent.get("sectionName");
  const listeners = gateways
    .filter(({ props }) => same(props.get("metadata", "name"), parent.get("name")))
    .flatMap(({ props }) => props.get("spec", "listeners").items())
    .filter((listener) => section.is((value) => value === undefined) || same(listener.get("name"), section));
  return listeners.length > 0 && listeners.every((each) => !each.get("protocol").is((protocol) => protocol !== "HTTP"));
}
