/** Service accounts of controllers that have rights in AWS, which a cluster gives them before they are there. */
export const AWS_ACCOUNTS = {
  karpenter: { namespace: "karpenter", serviceAccount: "karpenter" },
  loadBalancers: { namespace: "aws-load-balancers", serviceAccount: "aws-load-balancer-controller" },
} as const;
