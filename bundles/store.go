package bundles

import (
	"context"
	"fmt"
	"sync"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

// activatorName is the activator's name in OPA.
const activatorName = "policyd"

var (
	_ storage.Store    = (*engineStore)(nil)
	_ bundle.Activator = activator{}
)

// engineStore is the store into which OPA's bundle plugin activates. No judgement reads it: it identifies the
// engine of an activation, and its one writer at a time orders activations, local ones too.
type engineStore struct {
	storage.Store
	engine *Engine
}

func newEngineStore(ctx context.Context, e *Engine) (*engineStore, error) {
	s := &engineStore{Store: inmem.New(), engine: e}
	err := storage.Txn(ctx, s, storage.WriteParams, func(txn storage.Transaction) error {
		_, err := s.Register(ctx, txn, storage.TriggerConfig{OnCommit: e.commit})
		return err
	})
	return s, err
}

// activator proposes a bundle to the engine of the store, in the transaction in which OPA activates it: an
// error rolls all of it back. The store gets only what OPA reads again, the manifest and the tag. Rules and
// data are in the snapshot, and OPA would compile them without those of the embedded bundle.
type activator struct{}

// register registers the activator with OPA. OPA has one for the whole process, so it is done once, and only
// by an engine that fetches bundles; it has no state.
var register = sync.OnceFunc(func() {
	bundle.RegisterActivator(activatorName, activator{})
	bundle.RegisterDefaultBundleActivator(activatorName)
})

// Activate implements bundle.Activator.
func (activator) Activate(opts *bundle.ActivateOpts) error {
	s, ours := opts.Store.(*engineStore)
	if !ours {
		return new(bundle.DefaultActivator).Activate(opts)
	}
	for name, fetched := range opts.Bundles {
		proposed, err := s.engine.propose(opts.Ctx, opts.Txn, name, fetched)
		if err != nil {
			return err
		}
		opts.TxnCtx.Put(proposalKey{}, proposed)
		if err := bundle.WriteManifestToStore(opts.Ctx, s, opts.Txn, name, fetched.Manifest); err != nil {
			return fmt.Errorf("write manifest: %w", err)
		}
		if err := bundle.WriteEtagToStore(opts.Ctx, s, opts.Txn, name, fetched.Etag); err != nil {
			return fmt.Errorf("write tag: %w", err)
		}
	}
	return nil
}

// proposalKey is the context key of a transaction's *proposal.
type proposalKey struct{}

// proposal is a set of bundles that passed all checks and waits for its commit.
type proposal struct {
	local   []part
	fetched map[string]part
	// changed is the bundle that gave rise to it.
	changed string
	// renewed is true if no bundle changed.
	renewed bool
	// snapshot is nil while bundles are awaited.
	snapshot *Snapshot
}

// transact runs a local activation in order with those of OPA. What propose returns becomes active with the
// commit.
func (s *engineStore) transact(ctx context.Context, propose func() (*proposal, error)) error {
	params := storage.WriteParams
	params.Context = storage.NewContext()
	return storage.Txn(ctx, s, params, func(storage.Transaction) error {
		proposed, err := propose()
		if err != nil {
			return err
		}
		params.Context.Put(proposalKey{}, proposed)
		return nil
	})
}
