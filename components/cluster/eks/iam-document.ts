/** Operator, then key, then the accepted values. */
export type IamConditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** Principal of a trust or resource policy. `*` only in Deny statements. */
export type IamPrincipal = "*" | { readonly Service: readonly string[] } | { readonly AWS: readonly string[] };

/** One IAM statement (IAM User Guide, "Grammar of the IAM JSON policy language"). */
export interface IamStatement {
  /** Letters and digits, unique in its document. */
  readonly Sid: string;
  readonly Effect: "Allow" | "Deny";
  /** Only in trust and resource policies. */
  readonly Principal?: IamPrincipal;
  readonly Action: readonly string[];
  /** Absent only in trust policies. */
  readonly Resource?: readonly string[];
  readonly Condition?: IamConditions;
}

/** Version of the policy language; never update it. */
const LANGUAGE = "2012-10-17";

/**
 * Policy document as JSON with a fixed key order, for stable diffs.
 *
 * @throws Error for duplicate or invalid Sids.
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

/** Trust policy for an AWS service: `ec2.amazonaws.com`. */
export function serviceTrust(service: string): string {
  return iamDocument([
    { Sid: "Service", Effect: "Allow", Principal: { Service: [service] }, Action: ["sts:AssumeRole"] },
  ]);
}

export interface PodAccount {
  readonly clusterArn: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/**
 * Trust policy for one service account of one cluster. Without the conditions, any creator of
 * associations could give the role to any pod (EKS User Guide, pod-id-role and pod-id-abac: the
 * tags of the request; read 2026-11-23). The agent's tags need `sts:TagSession`.
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
