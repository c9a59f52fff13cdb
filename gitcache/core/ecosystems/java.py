"""Java projects: maven before gradle, each by the wrapper that the project ships.

The wrappers are https://maven.apache.org/wrapper/ and
https://docs.gradle.org/current/userguide/gradle_wrapper.html; their scripts lie in the top folder.
"""

from collections.abc import Mapping

from gitcache.core.ecosystems.ecosystem import (
    BUILD,
    TEST,
    Ecosystem,
    Found,
    Missing,
    Project,
    found,
    marked_by,
    missing,
)
from gitcache.core.tool import ToolName

_MAVEN: Mapping[ToolName, str] = {TEST: "test", BUILD: "package"}
"""Tool → phase of maven's default lifecycle."""

_GRADLE: Mapping[ToolName, str] = {TEST: "test", BUILD: "build"}
"""Tool → gradle's name for it."""


def _guess(project: Project, marker: str, name: ToolName) -> Found | Missing:
    maven = marker == "pom.xml"
    program, wrapper, goals = ("mvn", "mvnw", _MAVEN) if maven else ("gradle", "gradlew", _GRADLE)
    if name not in goals:
        return missing(marker, name)
    return found(f"{f'./{wrapper}' if wrapper in project.names else program} {goals[name]}", marker)


JAVA = Ecosystem(marked_by("pom.xml", "build.gradle", "build.gradle.kts"), _guess)
