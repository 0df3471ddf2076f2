/** What a namespace, and what runs in it, must find there. */
import { PULL_SECRET } from "../../../components/core/image-source";
import { CERTIFIER_ACCOUNT } from "../../../components/gpu/names";
import { podsOf } from "../../harness/recorded-objects";
import { exists, secret, startNeeds } from "../../render/argo-cd/facts";
import { field, list, text, texts } from "../../render/argo-cd/fields";
import { type OrderRule, pairsOf } from "./program";

/** Kinds that hold back what runs in a namespace. */
const GUARDS = [
  "NetworkPolicy",
  "LimitRange",
  "ResourceQuota",
  "PeerAuthentication",
  "RequestAuthentication",
  "AuthorizationPolicy",
];
const MEMBER_OF_MESH = { "istio.io/dataplane-mode": "ambient", "istio-injection": "enabled" };

export const NAMESPACE_RULES: readonly OrderRule[] = [
  {
    rule: "all that a namespace holds after the namespace with its Pod Security level: it would be refused",
    pairs: (program) =>
      pairsOf(
        program.objects.filter(({ namespace }) => namespace !== ""),
        ({ namespace }) => program.ofKind("Namespace").filter(({ name }) => name === namespace),
      ),
  },
  {
    rule: "pods after the NetworkPolicies, limits, quotas and mesh policies of their namespace: nothing runs unguarded",
    pairs: (program) =>
      pairsOf(program.runners, ({ namespace }) =>
        program.objects
          .filter((guard) => guard.namespace === namespace)
          .filter(({ kind, name }) => GUARDS.includes(kind) || (kind === "Secret" && name === PULL_SECRET)),
      ),
  },
  {
    rule: "pods after what enforces NetworkPolicies: until it runs they hold nothing back",
    pairs: (program) => {
      const engine = program.runners.filter(({ namespace }) => namespace.startsWith("calico"));
      return pairsOf(
        program.runners.filter((runner) => !engine.includes(runner) && runner.name !== "calico-crds"),
        () => engine,
      );
    },
  },
  {
    rule: "pods of a mesh after its control plane and agents: they would start outside of it, and stay there",
    pairs: (program) => {
      const members = program
        .ofKind("Namespace")
        .filter(({ labels }) => Object.entries(MEMBER_OF_MESH).some(([label, value]) => labels[label] === value))
        .map(({ name }) => name);
      return pairsOf(
        program.runners.filter(({ namespace }) => members.includes(namespace)),
        () => program.ofKind("Release").filter(({ namespace }) => namespace === "istio-system"),
      );
    },
  },
  {
    rule: "pods after what they mount, read and run as: they would not start",
    // A claim that binds late waits for its pod: render/waves.ts.
    together: true,
    pairs: (program) => {
      const facts = new Map(
        program
          .ofKind("ConfigMap", "Secret", "PersistentVolumeClaim", "ServiceAccount", "PriorityClass")
          .map((object) => {
            const { kind, name, namespace } = object;
            const place = namespace === "" ? undefined : namespace;
            return [kind === "Secret" ? secret(name, place) : exists(kind, name, place), object] as const;
          }),
      );
      return pairsOf(program.objects, (object) =>
        podsOf(object)
          .flatMap(({ spec }) => startNeeds(spec, object.namespace))
          .flatMap((need) => facts.get(need) ?? []),
      );
    },
  },
  {
    rule: "charts after the Secrets and priority classes that their values name: their pods would not start",
    pairs: (program) => {
      const named = program.ofKind("Secret", "PriorityClass");
      return pairsOf(program.ofKind("Release"), ({ inputs, namespace }) => {
        const values = new Set(texts(inputs.values));
        return named.filter((found) => values.has(found.name) && ["", namespace].includes(found.namespace));
      });
    },
  },
  {
    rule: "pods after the rights of their accounts in their namespace and cluster: what asks at its start would be refused",
    pairs: (program) =>
      pairsOf(program.objects, (object) => {
        const accounts = podsOf(object).flatMap(({ spec }) => text(spec, "serviceAccountName") ?? []);
        return program
          .ofKind("RoleBinding", "ClusterRoleBinding")
          .filter(({ namespace }) => ["", object.namespace].includes(namespace))
          .filter(({ inputs }) =>
            list(inputs, "subjects").some(
              (subject) =>
                text(subject, "kind") === "ServiceAccount" &&
                accounts.includes(text(subject, "name") ?? "") &&
                text(subject, "namespace") === object.namespace,
            ),
          );
      }),
  },
  {
    rule: "claims after their storage class: an older class of another encryption, or none, would take them",
    pairs: (program) => {
      const classes = program.ofKind("StorageClass");
      const claiming = program.objects.filter(({ kind }) => kind !== "StorageClass");
      return pairsOf(claiming, ({ inputs }) => {
        const wanted = [inputs, field(inputs, "values"), ...list(inputs, "spec", "volumeClaimTemplates")];
        const named = new Set(wanted.flatMap(classNames));
        return classes.filter(({ name }) => named.has(name));
      });
    },
  },
  {
    rule: "rights to change nodes and start Jobs after the policies that limit them: RBAC knows no fields",
    pairs: (program) =>
      pairsOf(
        program
          .ofKind("ClusterRole", "Role")
          .filter(({ name }) => name === CERTIFIER_ACCOUNT || name.endsWith("-certifier")),
        () => program.ofKind("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
      ),
  },
];

/** Values of every field that names a class of volumes. */
function classNames(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    /^storageClass(Name)?$/.test(key) && typeof item === "string" ? [item] : classNames(item),
  );
}
