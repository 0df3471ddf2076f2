/** Statements of OCI's policy language, each for one compartment and principal type. */

/** Caller, as the policy engine identifies it. */
export type Principal =
  /** Cluster control planes, which own secrets and claimed volumes. */
  | { readonly type: "cluster" }
  /** Launches nodes of managed pools. */
  | { readonly type: "nodepool" }
  | {
      readonly type: "workload";
      readonly clusterId: string;
      readonly namespace: string;
      readonly serviceAccount: string;
    };

/**
 * Grants permissions to a resource principal.
 *
 * @param grant in the policy language without `Allow … to`, with at most one condition: `use keys
 *   in compartment id ocid1…`, `manage objects in compartment id ocid1… where
 *   target.bucket.name='models'`.
 * @throws Error for an `ANY {…}` condition: within `ALL {…}` its meaning would change.
 */
export function allow(principal: Principal, grant: string): string {
  const [, what = grant, condition = ""] = /^(.*?)\s+where\s+(.+)$/i.exec(grant) ?? [];
  if (/^any\s*\{/i.test(condition)) {
    throw new Error(`a grant with more than one condition, of which any may hold: ${grant}`);
  }
  const conditions = [...identityOf(principal), /^all\s*\{(.+)\}$/i.exec(condition)?.[1]?.trim() ?? condition];
  return `Allow any-user to ${what} where ALL {${conditions.filter((each) => each !== "").join(", ")}}`;
}

/** Lets a cluster encrypt its secrets with a key (contengencryptingdata, 2025-01-15). */
export function secretsKeyStatements(compartmentId: string, keyId: string): string[] {
  return [allow({ type: "cluster" }, `use keys in compartment id ${compartmentId} where target.key.id='${keyId}'`)];
}

/**
 * Lets the block storage service encrypt with a key, for node pools and the cluster
 * (contengpolicyconfig, 2025-01-15, as of August 2024).
 */
export function volumesKeyStatements(compartmentId: string, keyId: string): string[] {
  const ofKey = `in compartment id ${compartmentId} where target.key.id='${keyId}'`;
  return [
    `Allow service blockstorage to use keys ${ofKey}`,
    allow({ type: "nodepool" }, `use key-delegates ${ofKey}`),
    allow({ type: "cluster" }, `use key-delegates ${ofKey}`),
  ];
}

/**
 * Lets machines of a dynamic group join one cluster.
 *
 * @param groupId OCID of the group: names are resolved only in the default identity domain.
 */
export function joinStatements(groupId: string, compartmentId: string, clusterId: string): string[] {
  return [
    `Allow dynamic-group id ${groupId} to {CLUSTER_JOIN} in compartment id ${compartmentId} where ALL {target.cluster.id='${clusterId}'}`,
  ];
}

function identityOf(principal: Principal): string[] {
  const is = (variable: string, value: string) => `request.principal.${variable}='${value}'`;
  return principal.type === "workload"
    ? [
        is("type", "workload"),
        is("namespace", principal.namespace),
        is("service_account", principal.serviceAccount),
        is("cluster_id", principal.clusterId),
      ]
    : [is("type", principal.type)];
}
