/** Operator, then key, then the values of which one must hold. */
export type IamConditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** Who a statement of a trust or resource policy speaks of. Never everybody, but to deny them something. */
export type IamPrincipal = "*" | { readonly Service: readonly string[] } | { readonly AWS: readonly string[] };

/** One statement, in IAM's own words (IAM User Guide, "Grammar of the IAM JSON policy language"). */
export interface IamStatement {
  /** Letters and digits, unlike the others of its document. */
  readonly Sid: string;
  readonly Effect: "Allow" | "Deny";
  /** Of trust and resource policies alone. */
  readonly Principal?: IamPrincipal;
  readonly Action: readonly string[];
  /** Absent in trust policies alone. */
  readonly Resource?: readonly string[];
  readonly Condition?: IamConditions;
}

/** The version of the policy language; not a date to renew. */
const LANGUAGE = "2012-10-17";

/**
 * A document as text, always in the same order of keys: a plan shows a difference where there is one.
 *
 * @throws Error where two statements have one name, or one has a name that IAM refuses.
 */
export function iamDocument(statements: readonly IamStatement[]): string {
  const names = statements.map(({ Sid }) => Sid);
  const wrong = names.find((name, index) => !/^[A-Za-z0-9]+$/.test(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) {
    throw new Error(`statement "${wrong}" needs a name of its own, of letters and digits`);
  }
  return JSON.stringify({ Version: LANGUAGE, Statement: statements.map(ordered) });
}

function ordered({ Sid, Effect, Principal, Action, Resource, Condition }: IamStatement): IamStatement {
  return {
    Sid,
    Effect,
    ...(Principal !== undefined && { Principal }),
    Action,
    ...(Resource !== undefined && { Resource }),
    ...(Condition !== undefined && { Condition }),
  };
}

/** Lets a service of Amazon's work as a role: `ec2.amazonaws.com`. */
export function serviceTrust(service: string): string {
  return iamDocument([
    { Sid: "Service", Effect: "Allow", Principal: { Service: [service] }, Action: ["sts:AssumeRole"] },
  ]);
}

/** A service account of one cluster. */
export interface PodAccount {
  readonly clusterArn: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/**
 * Lets pods of one service account of one cluster work as a role: without the conditions, whoever may make an association
 * in the account could give the role to any pod (EKS User Guide, pod-id-role and pod-id-abac: the tags of the request;
 * read 2026-11-23). `sts:TagSession`, because the agent sends those tags.
 */
export function podTrust({ clusterArn, namespace, serviceAccount }: PodAccount): string {
  return iamDocument([
    {
      Sid: "PodsOfOneServiceAccount",
      Effect: "Allow",
      Principal: { Service: ["pods.eks.amazonaws.com"] },
      Action: ["sts:AssumeRole", "sts:TagSession"],
      Condition: {
        StringEquals: {
          "aws:RequestTag/eks-cluster-arn": clusterArn,
          "aws:RequestTag/kubernetes-namespace": namespace,
          "aws:RequestTag/kubernetes-service-account": serviceAccount,
        },
      },
    },
  ]);
}
