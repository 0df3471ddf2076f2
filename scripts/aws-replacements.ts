/** What a change of a resource in AWS does: the comments of the SDK do not name arguments that can be updated. */
export interface AwsReplacements {
  /** File of the provider that was read, with its commit; undefined where AWS has no call that changes these arguments. */
  readonly source: string | undefined;
  /** By token: arguments, by path, that a change makes a new resource for. All others are changed in place. */
  readonly replacing: Readonly<Record<string, readonly string[]>>;
}

/** `name` and `namePrefix`: AWS renames nothing. */
const NAMES = ["name", "namePrefix"];
const BUCKET = ["bucket", "expectedBucketOwner"];

/**
 * `ForceNew` and `RequiresReplace` of hashicorp/terraform-provider-aws, which pulumi-aws 7 wraps, by file@commit, read on
 * 2026-11-23. The commits are of different months of 2025 and 2026: the one that pulumi-aws 7.48.0 wraps could not be had.
 * Where a group has no file, AWS has no call that changes a name, or what a resource is in.
 */
export const AWS_REPLACEMENTS: readonly AwsReplacements[] = [
  {
    source: "internal/service/eks/cluster.go@00555dc5b38f92abbfa230badea0ed0754cea81e",
    replacing: {
      "aws:eks/cluster:Cluster": [
        "accessConfig.bootstrapClusterCreatorAdminPermissions",
        "bootstrapSelfManagedAddons",
        "kubernetesNetworkConfig.ipFamily",
        "kubernetesNetworkConfig.serviceIpv4Cidr",
        "name",
        "outpostConfig.controlPlaneInstanceType",
        "outpostConfig.controlPlanePlacement.groupName",
        "remoteNetworkConfig",
        "roleArn",
      ],
    },
  },
  {
    source: "internal/service/eks/node_group.go@012e0a32f0686212f447447fd3d81c3d0ce256ad",
    replacing: {
      "aws:eks/nodeGroup:NodeGroup": [
        "amiType",
        "capacityType",
        "clusterName",
        "diskSize",
        "instanceTypes",
        "launchTemplate.id",
        "launchTemplate.name",
        "nodeGroupName",
        "nodeGroupNamePrefix",
        "nodeRoleArn",
        "remoteAccess",
        "subnetIds",
      ],
    },
  },
  {
    source: "internal/service/eks/addon.go@00a35305dc1b297a6fcdecdfbba33f1e63c3da39",
    replacing: { "aws:eks/addon:Addon": ["addonName", "clusterName"] },
  },
  {
    source: "internal/service/eks/access_entry.go@01f431114674c27cf790fafb67ac274bf8f765e1",
    replacing: { "aws:eks/accessEntry:AccessEntry": ["clusterName", "principalArn", "type"] },
  },
  {
    source: "internal/service/eks/access_policy_association.go@01f431114674c27cf790fafb67ac274bf8f765e1",
    replacing: {
      "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": [
        "accessScope",
        "accessScope.namespaces",
        "accessScope.type",
        "clusterName",
        "policyArn",
        "principalArn",
      ],
    },
  },
  {
    source: "internal/service/eks/pod_identity_association.go@00a35305dc1b297a6fcdecdfbba33f1e63c3da39",
    replacing: {
      "aws:eks/podIdentityAssociation:PodIdentityAssociation": ["clusterName", "namespace", "serviceAccount"],
    },
  },
  {
    source: "internal/service/ec2/vpc_.go@00081ce41cc691433ac19bf42227cdabffd0454d",
    replacing: { "aws:ec2/vpc:Vpc": ["cidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength"] },
  },
  {
    source: "internal/service/ec2/vpc_subnet.go@00cda125a19d31754cb0d073cf551264c57955cb",
    replacing: {
      "aws:ec2/subnet:Subnet": [
        "availabilityZone",
        "availabilityZoneId",
        "cidrBlock",
        "ipv4IpamPoolId",
        "ipv4NetmaskLength",
        "ipv6IpamPoolId",
        "ipv6Native",
        "ipv6NetmaskLength",
        "outpostArn",
        "vpcId",
      ],
    },
  },
  {
    source: "internal/service/ec2/vpc_nat_gateway.go@04088eaa54948421bf1ef7494ae2b2c01d9243e3",
    replacing: {
      "aws:ec2/natGateway:NatGateway": [
        "allocationId",
        "connectivityType",
        "privateIp",
        "secondaryPrivateIpAddressCount",
        "subnetId",
      ],
    },
  },
  {
    source: "internal/service/ec2/vpc_endpoint.go@008db85aad5e56627b1eecab8830464a282552ed",
    replacing: {
      "aws:ec2/vpcEndpoint:VpcEndpoint": [
        "dnsOptions.privateDnsPreference",
        "dnsOptions.privateDnsSpecifiedDomains",
        "resourceConfigurationArn",
        "serviceName",
        "serviceNetworkArn",
        "serviceRegion",
        "vpcEndpointType",
        "vpcId",
      ],
    },
  },
  {
    source: "internal/service/ec2/ec2_eip.go@01606926a0c0ab9174aec440f976a48b0baee722",
    replacing: {
      "aws:ec2/eip:Eip": ["address", "domain", "ipamPoolId", "networkBorderGroup", "publicIpv4Pool"],
    },
  },
  {
    source: "internal/service/ec2/ec2_placement_group.go@05e34de7342261989674cfe1f047c25bb4c80db8",
    replacing: { "aws:ec2/placementGroup:PlacementGroup": ["name", "partitionCount", "spreadLevel", "strategy"] },
  },
  {
    source: "internal/service/ec2/vpc_route_table_association.go@0be71beb458ad8875e0acc5c91519c0ceeb214aa",
    replacing: { "aws:ec2/routeTableAssociation:RouteTableAssociation": ["gatewayId", "subnetId"] },
  },
  {
    // Another kind of source (a CIDR, a group) makes a new rule too: the programs here change none.
    source: "internal/service/ec2/vpc_security_group_ingress_rule.go@00a322094b4b9ade8a81b244345dbcf4b52ee8d6",
    replacing: {
      "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": ["securityGroupId"],
      "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": ["securityGroupId"],
    },
  },
  {
    source: "internal/service/iam/role.go@0040ea6911af00bea2cca6dbb14e86829826ad8e",
    replacing: { "aws:iam/role:Role": [...NAMES, "path"] },
  },
  {
    source: "internal/service/iam/policy.go@01ccd9a2d118a3e81a9649759bf14303526dc9e6",
    replacing: { "aws:iam/policy:Policy": [...NAMES, "description", "path"] },
  },
  {
    source: "internal/service/iam/role_policy.go@02f97af85f89a04e8ed89f5e8b64a9a67f3cfe07",
    replacing: { "aws:iam/rolePolicy:RolePolicy": [...NAMES, "role"] },
  },
  {
    source: "internal/service/kms/key.go@00a35305dc1b297a6fcdecdfbba33f1e63c3da39",
    replacing: {
      "aws:kms/key:Key": ["customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion", "xksKeyId"],
    },
  },
  {
    source: "internal/service/kms/alias.go@01c08000ddb14181b5bd19201d8fca311dc570e4",
    replacing: { "aws:kms/alias:Alias": NAMES },
  },
  {
    source: "internal/service/sqs/queue.go@00a35305dc1b297a6fcdecdfbba33f1e63c3da39",
    replacing: { "aws:sqs/queue:Queue": [...NAMES, "fifoQueue"] },
  },
  {
    source: "internal/service/logs/group.go@0073593e7d6993ba482409f4dc35438daaa79bb3",
    replacing: { "aws:cloudwatch/logGroup:LogGroup": [...NAMES, "logGroupClass"] },
  },
  {
    source: "internal/service/events/rule.go@0cdab4ae09a963535e03dde0bff4784afe8e3517",
    replacing: { "aws:cloudwatch/eventRule:EventRule": [...NAMES, "eventBusName"] },
  },
  {
    source: "internal/service/events/target.go@0762c41e2027fcd3cb8340d3e6886c6975fc0a59",
    replacing: { "aws:cloudwatch/eventTarget:EventTarget": ["eventBusName", "rule", "targetId"] },
  },
  {
    source: "internal/service/s3/bucket_versioning.go@01c08000ddb14181b5bd19201d8fca311dc570e4",
    replacing: { "aws:s3/bucketVersioning:BucketVersioning": BUCKET },
  },
  {
    source: undefined,
    replacing: {
      "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": ["vpcId"],
      "aws:ec2/internetGateway:InternetGateway": [],
      "aws:ec2/launchTemplate:LaunchTemplate": NAMES,
      "aws:ec2/route:Route": [
        "destinationCidrBlock",
        "destinationIpv6CidrBlock",
        "destinationPrefixListId",
        "routeTableId",
      ],
      "aws:ec2/routeTable:RouteTable": ["vpcId"],
      "aws:ec2/securityGroup:SecurityGroup": [...NAMES, "description", "vpcId"],
      "aws:ec2/tag:Tag": ["key", "resourceId"],
      "aws:iam/rolePolicyAttachment:RolePolicyAttachment": ["policyArn", "role"],
      "aws:s3/bucket:Bucket": ["bucket", "bucketPrefix", "objectLockEnabled"],
      "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": BUCKET,
      "aws:s3/bucketOwnershipControls:BucketOwnershipControls": ["bucket"],
      "aws:s3/bucketPolicy:BucketPolicy": ["bucket"],
      "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": ["bucket"],
      "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": BUCKET,
      "aws:sqs/queuePolicy:QueuePolicy": ["queueUrl"],
    },
  },
];
