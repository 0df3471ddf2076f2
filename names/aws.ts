/** Service accounts with AWS permissions, which the cluster grants in advance. */
export const AWS_ACCOUNTS = {
  karpenter: { namespace: "karpenter", serviceAccount: "karpenter" },
  loadBalancers: { namespace: "aws-load-balancers", serviceAccount: "aws-load-balancer-controller" },
} as const;
