//go:build !unix

package agenttest

import "errors"

func (a *agent) leaveChild(_, _, _ bool) error { return errors.ErrUnsupported }

func makePipe(string) error { return errors.ErrUnsupported }
