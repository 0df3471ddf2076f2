#!/bin/sh
# Brings rendered folders into a GitOps repository by one branch and one pull request, which is updated while it is open. The token is
# GH_TOKEN, for gh and through it for git: it is no argument.
#
#   rendered-pull-request.sh <checkout> <folder in it> <base branch> <text>
#
# <text> is what `npm run render -- --all --report` wrote: the title, an empty line, Markdown.
set -eu
folder=$2 base=$3
text=$(cd "$(dirname "$4")" && pwd)/$(basename "$4")
cd "$1"
# The branch is this script's own: every run replaces what is there.
branch=inference-stacks/rendered

# A branch of a fork may have the same name.
number=$(gh pr list --head "$branch" --base "$base" --state open --json number,isCrossRepository \
	--jq 'map(select(.isCrossRepository | not)) | .[0].number // empty')

# git with gh's credentials, whatever helpers the machine has.
remote() {
	git -c credential.helper= -c credential.helper='!gh auth git-credential' "$@"
}

# The folder is render's: also what the repository ignores elsewhere. Neither there nor rendered: nothing to add.
if [ -e "$folder" ] || [ -n "$(git ls-files -- "$folder")" ]; then
	git add --all --force -- "$folder"
fi
if git diff --cached --quiet; then
	if [ -n "$number" ]; then
		gh pr close "$number" --delete-branch --comment "$base has what the environments render to now."
	fi
	echo "$base has what the environments render to: nothing to propose"
	exit 0
fi

title=$(sed -n 1p "$text")
git -c user.name='github-actions[bot]' -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
	commit --quiet --message "${title:=Render}"
remote fetch --quiet --depth 2 origin "+refs/heads/$branch:refs/remotes/origin/$branch" 2>/dev/null || true
proposed=$(git rev-parse --verify --quiet "refs/remotes/origin/$branch^{tree}" || true)
proposed_on=$(git rev-parse --verify --quiet "refs/remotes/origin/$branch^:$folder" || true)
# Approvals stay where nothing new comes, and where the folder of the base is as it was then: else the two would conflict.
if [ "$proposed" != "$(git rev-parse 'HEAD^{tree}')" ] ||
	[ "$proposed_on" != "$(git rev-parse --verify --quiet "HEAD^:$folder" || true)" ]; then
	remote push --quiet --force origin "HEAD:refs/heads/$branch"
fi

if [ -n "$number" ]; then
	sed 1,2d "$text" | gh api --silent --method PATCH "repos/{owner}/{repo}/pulls/$number" \
		--raw-field "title=$title" --field body=@-
	echo "updated pull request $number"
else
	sed 1,2d "$text" | gh pr create --head "$branch" --base "$base" --title "$title" --body-file -
fi
