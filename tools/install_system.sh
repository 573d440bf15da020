#!/usr/bin/env bash
# Installs the system packages that fetching and running a real Neo4j needs: Java 17 or newer, and Maven.
# Does nothing where both are there. Needs root and apt-get; elsewhere it says what to install and fails.
set -euo pipefail

missing=()
command -v java >/dev/null 2>&1 || missing+=(default-jre-headless)
command -v mvn >/dev/null 2>&1 || missing+=(maven)
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "Missing: ${missing[*]}. Install Java 17 or newer and Maven (Debian: sudo apt-get install default-jre-headless maven)." >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}"
