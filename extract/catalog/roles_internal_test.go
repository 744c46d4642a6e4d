package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// V12: names of arguments in any spelling.
func TestRolesOfArguments(t *testing.T) {
	c, err := Load()
	assert.NoError(t, err)
	for name, want := range map[string]string{
		"path": RolePath, "Path": RolePath, "filePath": RolePath, "file-path": RolePath, "FILE_PATH": RolePath,
		"repo_path": RolePlace, "outputFile": RolePlace, "options.cwd": RolePlace, "dest": RolePlace,
		"profile": RoleNone, "thing": RoleNone, "": RoleNone, "_": RoleNone,
		"newText": RoleMention, "search_query": RoleMention, "body": RoleMention, "pattern": RolePattern,
	} {
		assert.Equal(t, want, c.Role(name), name)
	}
}
