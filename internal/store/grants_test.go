package store_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func grantIsThereOnce(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	// Longer than what fits into an index of PostgreSQL.
	long := "/" + strings.Repeat("0123456789abcdef/", 240)
	first := grant("first", "s", long, v1.GrantRead)
	put, change, err := opened.PutGrant(ctx, first)
	require.NoError(t, err)
	first.CreatedAt = kept(start())
	assert.Equal(t, first, put)
	assert.Equal(t, v1.ChangeNew, change)

	again := grant("again", "s", long, v1.GrantRead)
	again.Origin = v1.OriginOperator
	put, change, err = opened.PutGrant(ctx, again)
	require.NoError(t, err)
	assert.Equal(t, first, put)
	assert.Equal(t, v1.ChangeUnchanged, change)

	wider := grant("wider", "s", long, v1.GrantReadWrite)
	wider.CreatedAt = start().AddDate(1, 0, 0)
	put, change, err = opened.PutGrant(ctx, wider)
	require.NoError(t, err)
	first.Mode, first.Label = wider.Mode, wider.Label
	assert.Equal(t, first, put)
	assert.Equal(t, v1.ChangeMode, change)

	// The same text cut elsewhere is another grant.
	for _, other := range []v1.Grant{
		grant("1", "", long, v1.GrantRead), grant("2", "t", long, v1.GrantRead), grant("3", "s", long+"b", v1.GrantRead),
		{ID: "4", Agent: "s", Path: long, Mode: v1.GrantRead},
		{ID: "5", Session: "s", Agent: "a", Path: long, Mode: v1.GrantRead},
	} {
		_, change, err = opened.PutGrant(ctx, other)
		require.NoError(t, err)
		assert.Equal(t, v1.ChangeNew, change, other.ID)
	}
	all, err := opened.Grants(ctx)
	require.NoError(t, err)
	assert.Len(t, all, 6)
	assert.Contains(t, all, first)
}

func grantsGoTogether(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	for _, id := range []string{"a", "b", "c"} {
		_, _, err := opened.PutGrant(ctx, grant(id, "s", "/"+id, v1.GrantRead))
		require.NoError(t, err)
	}
	gone, err := opened.DeleteGrants(ctx, "a", "c", "unknown")
	require.NoError(t, err)
	assert.Equal(t, 2, gone)
	gone, err = opened.DeleteGrants(ctx)
	require.NoError(t, err)
	assert.Zero(t, gone)
	left, err := opened.Grants(ctx)
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, "b", left[0].ID)
}
