import { someOf } from "../../cluster/foreign-text";
import type { WantedRight } from "../gather";
import { type Check, failed, judged, passed, warning } from "./check";

/** Rights of cluster-admin. */
const EVERYTHING: WantedRight = { verb: "*", group: "*", resource: "*" };
/** Rights over roles: without one, no user can grant more than their own rights. */
const BEYOND_OWN: readonly WantedRight[] = ["bind", "escalate"].map((verb) => ({
  verb,
  group: "rbac.authorization.k8s.io",
  resource: "clusterroles",
}));

const MADE: readonly (readonly [group: string, resource: string])[] = [
  ["", "namespaces"],
  ["", "secrets"],
  ["", "services"],
  ["", "persistentvolumeclaims"],
  ["", "resourcequotas"],
  ["", "limitranges"],
  ["apps", "deployments"],
  ["apps", "statefulsets"],
  ["apps", "daemonsets"],
  ["batch", "jobs"],
  ["networking.k8s.io", "networkpolicies"],
  ["policy", "poddisruptionbudgets"],
  ["scheduling.k8s.io", "priorityclasses"],
  ["apiextensions.k8s.io", "customresourcedefinitions"],
  ["rbac.authorization.k8s.io", "clusterroles"],
  ["rbac.authorization.k8s.io", "clusterrolebindings"],
  ["admissionregistration.k8s.io", "validatingwebhookconfigurations"],
  ["admissionregistration.k8s.io", "mutatingwebhookconfigurations"],
  ["gateway.networking.k8s.io", "gatewayclasses"],
];

/** Rights to install the platform, in every namespace. */
export const WANTED_RIGHTS: readonly WantedRight[] = [
  EVERYTHING,
  ...BEYOND_OWN,
  ...MADE.flatMap(([group, resource]) => ["create", "delete"].map((verb) => ({ verb, group, resource }))),
];

export const rights: Check = ({ rights: asked }) => [
  judged(
    {
      check: "rights",
      title: "Rights",
      needed: "to create and delete namespaces, CRDs, cluster roles and what is in them",
    },
    asked,
    (all) => {
      const has = ({ verb, group, resource }: WantedRight) =>
        all.some(
          (right) => right.verb === verb && right.group === group && right.resource === resource && right.allowed,
        );
      if (has(EVERYTHING)) {
        return passed("everything");
      }
      const missing = MADE.flatMap(([group, resource]) => {
        const verbs = ["create", "delete"].filter((verb) => !has({ verb, group, resource }));
        return verbs.length === 0 ? [] : [`${verbs.join(", ")} ${resource}`];
      });
      if (missing.length > 0) {
        return failed(
          `no right to ${someOf(missing, 4)}`,
          "ask an administrator to bind you to cluster-admin for the installation: kubectl create clusterrolebinding inference-stacks-installer --clusterrole cluster-admin --user <you>",
          "kubectl auth whoami says who you are, kubectl auth can-i --list what you may",
        );
      }
      return BEYOND_OWN.some(has)
        ? passed("all that the platform makes")
        : warning(
            "neither bind nor escalate on cluster roles: those with rights that you lack would be refused",
            "ask an administrator for bind and escalate on clusterroles, or cluster-admin for the installation",
          );
    },
  ),
];
