import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { type Labels, standardLabels } from "../../names/labels";
import { podSecurityLevel } from "../../names/pod-security";
import { type CustomResourceArgs, customResource, type Manifest } from "./custom-resource";
import { childrenOfGone, type OptionsOfGone } from "./gone-component";
import { PULL_SECRET } from "./image-source";
import { named } from "./known";
import { networkPolicies } from "./network-policies";
import { type ClusterAccount, clusterRoleBindings, grantsIn, type NamespaceUse, roleBindings } from "./people";
import { inheritedFrom } from "./platform-component";

export interface IsolatedNamespaceArgs {
  /** Kubernetes name. `POD_SECURITY_EXCEPTIONS` sets its Pod Security level. */
  readonly namespace: string;
  readonly labels?: Labels;
  /** Hard limits of the ResourceQuota: `{"requests.nvidia.com/gpu": "4"}`. @default no quota */
  readonly quota?: Readonly<Record<string, string>>;
  /**
   * Holds volumes to protect: refuse deletion, and retain the namespace, because deleting it
   * deletes all claims.
   * @default false
   */
  readonly keep?: boolean;
  /** Its accounts with cluster roles, which the namespace binds: users gain no more than operators have. @default none */
  readonly accounts?: readonly ClusterAccount[];
  /** Access of users. @default all users of the environment */
  readonly use?: NamespaceUse;
}

/**
 * An isolated namespace: Pod Security labels, only DNS and the platform's connections, a resource
 * quota and a LimitRange. Binds users' roles.
 */
export class IsolatedNamespace {
  /**
   * Name of the namespace, known after policies, quota, limits and pull secret, so that no pod runs
   * unguarded.
   */
  readonly namespace: pulumi.Output<string>;
  readonly resource: kubernetes.core.v1.Namespace;
  /** Cluster roles of `accounts`, in their order. */
  readonly bindings: readonly kubernetes.rbac.v1.ClusterRoleBinding[];
  readonly resources: readonly pulumi.Resource[];

  /** @param name prefix of logical names; all children have the parent of `opts`. */
  constructor(name: string, args: IsolatedNamespaceArgs, opts: OptionsOfGone = {}) {
    const inherited = inheritedFrom(opts.parent);
    const child = (suffix: string) => `${name}-${suffix}`;
    const options = { ...opts, aliases: childrenOfGone("core:IsolatedNamespace", name, opts) };
    const labels = standardLabels("namespace", args.namespace, args.labels);
    const level = podSecurityLevel({ name: args.namespace, labels });

    this.resource = new kubernetes.core.v1.Namespace(
      child("namespace"),
      {
        metadata: {
          name: args.namespace,
          labels: {
            ...labels,
            ...inherited.mesh?.labelsOf(args.namespace),
            "pod-security.kubernetes.io/enforce": level,
            "pod-security.kubernetes.io/audit": level,
            "pod-security.kubernetes.io/warn": level,
          },
        },
      },
      { ...options, protect: args.keep ?? false, retainOnDelete: args.keep ?? false },
    );
    const namespace = named(this.resource, args.namespace);

    const guards: pulumi.CustomResource[] = networkPolicies(args.namespace, inherited.connections).map(
      (policy) =>
        new kubernetes.networking.v1.NetworkPolicy(
          child(policy.name),
          { metadata: { name: policy.name, namespace, labels, annotations: policy.annotations }, spec: policy.spec },
          options,
        ),
    );

    const meshed = (part: Omit<CustomResourceArgs<Manifest>, "namespace">, after: pulumi.CustomResourceOptions) =>
      customResource(child(`mesh-${part.kind.toLowerCase()}-${part.name}`), { ...part, namespace }, after);
    for (const guard of inherited.mesh?.guardsOf(args.namespace) ?? []) {
      guards.push(meshed(guard, options));
    }

    const { accounts = [], use = {} } = args;
    const holdsRights = use.holdsRights || accounts.length > 0 || level !== "restricted";
    const grants = grantsIn(inherited.people, { ...use, holdsRights });
    guards.push(...roleBindings(name, { namespace, labels, grants }, options));

    const { credentials } = inherited.images ?? {};
    if (credentials) {
      guards.push(
        new kubernetes.core.v1.Secret(
          child("image-pull"),
          {
            metadata: { name: PULL_SECRET, namespace, labels },
            type: "kubernetes.io/dockerconfigjson",
            stringData: { ".dockerconfigjson": credentials },
          },
          options,
        ),
      );
    }

    if (args.quota) {
      guards.push(
        new kubernetes.core.v1.ResourceQuota(
          child("quota"),
          { metadata: { name: "quota", namespace, labels }, spec: { hard: { ...args.quota } } },
          options,
        ),
      );
    }
    guards.push(
      new kubernetes.core.v1.LimitRange(
        child("limits"),
        {
          metadata: { name: "limits", namespace, labels },
          spec: {
            limits: [
              {
                type: "Container",
                default: { cpu: "1", memory: "512Mi" },
                defaultRequest: { cpu: "50m", memory: "64Mi" },
              },
            ],
          },
        },
        options,
      ),
    );
    for (const proxy of inherited.mesh?.proxiesOf(args.namespace) ?? []) {
      // Proxies wait for all dependencies of `opts`.
      guards.push(meshed(proxy, { ...options, dependsOn: [...guards] }));
    }
    this.bindings = clusterRoleBindings(accounts, namespace, options);
    this.resources = [this.resource, ...guards];
    this.namespace = pulumi.all([namespace, pulumi.all(guards.map(({ urn }) => urn))]).apply(([known]) => known);
  }
}
